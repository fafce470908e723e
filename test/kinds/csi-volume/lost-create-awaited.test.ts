// The answer to a create was lost, and the volume leaves, with a last snapshot declared of it. The disk that the create made stayed
// behind, and nobody knew of it; or the volume waited for the snapshot, and the snapshot for the volume.
import { expect, test } from 'vitest';
import { isTrue } from '../../../src/core/status/condition.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { leftBy, ways } from './journeys.ts';
import { World, type Fate } from './world.ts';

const patience = { timeout: 60_000 };
const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' } as const;
const nothing = /^(removed|kept); ; destroyed/;
const fates: readonly Fate[] = ['done', 'half', 'unanswered', 'lost'];
/** Points at which something lasts, more than there are. */
const points = Array.from({ length: 24 }, (_, point) => point);

const leave = (world: World): void => {
  if (world.object.deleting) return;
  world.isAwaited = true;
  world.declare(undefined);
};

/** Disks that the provider has and the status doesn't name. */
function unnamed({ service, memory }: World): readonly string[] {
  const status = JSON.stringify(memory);
  return [...service.disks.values()].flatMap(({ externalID, name }) =>
    status.includes(externalID) || status.includes(name) ? [] : [externalID],
  );
}

/** Leaves while the snapshot waits, and then without it. @returns what is left in the end */
async function leaving(world: World, why: string): Promise<string> {
  await world.settle();
  expect(unnamed(world), why).toEqual([]);
  const { released, memory } = world;
  const isReady = csiVolume.isPresent(memory) ?? isTrue(memory.conditions, 'Ready');
  const isWaiting = released === 'no' && !isReady;
  expect(isWaiting && [why, memory], 'the snapshot can be taken, or the volume has left').toBe(false);
  world.isAwaited = false;
  await world.settle();
  return leftBy(world);
}

test(
  'of a replacement: whatever gets lost, every disk has a name and ends with the volume',
  patience,
  async () => {
    for (const point of points)
      for (const way of ways(2, fates)) {
        const world = new World(policies);
        await world.settle();
        world.plays({ at: { [point]: leave }, fates: way }).declare({ ...policies, pluginID: 'nfs' });
        await world.settle();
        leave(world);
        const why = `${point} ${way.join()}`;
        expect(await leaving(world, why), why).toMatch(nothing);
      }
  },
);

test(
  'of a first create: whatever gets lost, every disk has a name and ends with the volume',
  patience,
  async () => {
    for (const point of points)
      for (const way of ways(3, fates)) {
        const world = new World(policies).plays({ at: { [point]: leave }, fates: way });
        await world.settle();
        leave(world);
        const why = `${point} ${way.join()}`;
        expect(await leaving(world, why), why).toMatch(nothing);
      }
  },
);
