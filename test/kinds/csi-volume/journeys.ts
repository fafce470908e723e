// Plays one journey of a volume with faults, and says in one line what it left behind.
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { World, type Fate, type Options } from './world.ts';

export const fates: readonly Fate[] = ['done', 'unanswered', 'lost'];

/** Every way in which the first calls can end, up to that many that go wrong or right. */
export const ways = (calls: number, of: readonly Fate[] = fates): readonly (readonly Fate[])[] =>
  calls === 0 ? [[]] : ways(calls - 1, of).flatMap((before) => of.map((fate) => [...before, fate]));

/** What the first death, the second or none is at. */
export function* deaths(points: number): Generator<Options['at'] & object> {
  for (let first = 0; first < points; first++) {
    yield { [first]: 'dies' };
    for (let second = first + 1; second < points; second += 3) yield { [first]: 'dies', [second]: 'dies' };
  }
}

/** A volume that stands as declared, and its declaration changed to another. `undefined`: it leaves. */
export async function changing(
  before: Partial<Spec>,
  after: Partial<Spec> | undefined,
  options: Options,
  prepare: (world: World) => void = () => {},
): Promise<World> {
  const world = new World(before);
  await world.settle();
  prepare(world);
  world.plays(options).declare(after);
  await world.settle();
  return world;
}

/** `left; ; destroyed disk-1`: what became of the object, the disks with who has them, what was destroyed. */
export function leftBy({ released, service }: World): string {
  const disks = [...service.disks.values()].map(({ externalID, pluginID }) => {
    const ids = [...service.volumes.values()].flatMap((v) => (v.ExternalID === externalID ? [v.ID] : []));
    return `${externalID} of ${pluginID} as ${ids.join(' and ') || 'nothing'}`;
  });
  const dangling = [...service.volumes.values()]
    .filter((v) => !service.disks.has(v.ExternalID))
    .map((v) => v.ID);
  return [
    released === 'no' ? 'declared' : released,
    disks.join(', '),
    ...(dangling.length > 0 ? [`without a disk: ${dangling.join()}`] : []),
    `destroyed ${service.destroyed.join()}`,
  ].join('; ');
}

/** The same whatever the numbers of new disks are. */
export const anyNew = (text: string): string => text.replaceAll(/disk-(?!1\b)\d+/g, 'new');
