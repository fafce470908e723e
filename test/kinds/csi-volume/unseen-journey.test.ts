// A disk that somebody deleted at the provider, and a registration that a lagging server does not show, or still shows: the object
// was stuck, or sent the same call again and again.
import { expect, test } from 'vitest';
import { changing, leftBy } from './journeys.ts';
import type { World } from './world.ts';

const spec = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' } as const;
const deleted = ({ service }: World): void => void service.disks.delete('disk-1');

test('a volume leaves whose disk somebody deleted at the provider', async () => {
  expect(leftBy(await changing(spec, undefined, {}, deleted))).toBe('removed; ; destroyed ');
});

test('a volume is replaced whose old disk somebody deleted at the provider', async () => {
  const world = await changing(spec, { ...spec, pluginID: 'nfs' }, {}, deleted);
  expect(leftBy(world)).toMatch(/^declared; disk-\d+ of nfs as data; destroyed $/);
  expect(world.memory.conditions[0]).toMatchObject({ type: 'Ready', status: 'True' });
});

test('a volume that is declared again is still lost then: its data would come back as an empty disk', async () => {
  const again = (world: World) => world.declare(spec);
  const world = await changing(spec, undefined, { at: { 4: again } }, deleted).catch(String);
  expect(world).toContain('could not be found');
});

/** Reads of retired IDs show what was there before, so often after it came or went. */
function lagging({ service }: World, of: 'made' | 'removed', reads: number): void {
  const read = service.read.bind(service);
  let left = reads;
  let known: ReturnType<typeof read>;
  service.read = (id) => {
    const now = read(id);
    if (!id.startsWith('holdfast-retired-')) return now;
    if (of === 'made' && now && left-- > 0) return undefined;
    if (of === 'removed' && !now && known && left-- > 0) return known;
    known = now ?? known;
    return now;
  };
}

test.for(['made', 'removed'] as const)(
  'what is not seen to be %s is waited for, and not sent again',
  async (of) => {
    const world = await changing(spec, undefined, {}, (at) => lagging(at, of, 20));
    expect(leftBy(world)).toBe('removed; ; destroyed disk-1');
    const calls = world.log.filter((line) => line.startsWith('volume.')).map((line) => line.split(' ')[0]);
    expect(calls).toEqual(['volume.create', 'volume.deregister', 'volume.register', 'volume.delete']);
  },
);
