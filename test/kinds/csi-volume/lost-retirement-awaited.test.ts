// A replacement made its new disk, and the answer to what it does with the old one was lost, before the new one was recorded. Then the
// volume leaves with a last snapshot declared of it. The snapshot waited for the volume, and the volume for the snapshot.
import { expect, test } from 'vitest';
import { isTrue } from '../../../src/core/status/condition.ts';
import { parseOwn } from '../../../src/kinds/csi-volume/disk.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { applied, id, previous } from './going.ts';
import { leftBy } from './journeys.ts';
import { firstStep, recorded } from './situation.ts';
import { World, type Fate } from './world.ts';

const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' } as const;
const edited: Partial<Spec> = { ...policies, pluginID: 'nfs' };

/** A volume whose new disk stands. The next calls end so, one in each visit, and none of them is answered. */
async function replacing(...fates: readonly Fate[]): Promise<World> {
  const world = new World(policies);
  await world.settle();
  world.plays({ fates: ['done', 'done', ...fates] }).declare(edited);
  for (const _ of fates) await world.visit();
  return world;
}

/** Leaves while the snapshot waits. @returns whether the snapshot can be taken */
async function canBeTaken(world: World): Promise<boolean> {
  world.isAwaited = true;
  world.declare(undefined);
  await world.settle();
  expect(world.released).toBe('no');
  return csiVolume.isPresent(world.memory) ?? isTrue(world.memory.conditions, 'Ready');
}

const lastly = async (world: World): Promise<string> => {
  world.isAwaited = false;
  await world.settle();
  return leftBy(world);
};

test.for<{ op: string; fates: readonly Fate[] }>([
  { op: 'retire-previous', fates: ['unanswered'] },
  { op: 'retire-previous', fates: ['lost'] },
  { op: 'destroy-previous', fates: ['unanswered', 'unanswered'] },
  { op: 'destroy-previous', fates: ['unanswered', 'lost'] },
])('$op, $fates: the snapshot can be taken, and then both disks go', async ({ op, fates }) => {
  const world = await replacing(...fates);
  expect(world.memory.pending).toMatchObject({ op });
  const [now] = [...world.service.volumes.values()].filter(({ ID }) => ID === world.object.key.name);
  expect(await canBeTaken(world)).toBe(true);
  expect(csiVolume.open(world.object, {}).outputs(world.memory)).toMatchObject({
    externalID: now?.ExternalID,
    pluginID: 'nfs',
  });
  expect(world.service.disks.has(now?.ExternalID ?? '')).toBe(true);
  expect(await lastly(world)).toMatch(/^removed; ; destroyed disk-1,disk-/);
});

/** An earlier build recorded the new disk only once it had the answer. */
function asBefore({ source, volumeKey }: World): void {
  const entry = source.entries.get(volumeKey);
  if (!entry) throw new Error('it is declared');
  const { previous: old } = parseOwn(entry.status.own) ?? {};
  if (!old) throw new Error('nothing was let go of');
  source.entries.set(volumeKey, { ...entry, status: { ...entry.status, own: { previous: old } } });
}

test.for<{ fates: readonly Fate[] }>([
  { fates: ['unanswered'] },
  { fates: ['lost'] },
  { fates: ['unanswered', 'unanswered'] },
  { fates: ['unanswered', 'lost'] },
])(
  '$fates, as an earlier build recorded it: the snapshot can be taken, and then both disks go',
  async ({ fates }) => {
    const world = await replacing(...fates);
    const made = world.service.volumes.get(world.object.key.name)?.ExternalID ?? '';
    asBefore(world);
    expect(await canBeTaken(world)).toBe(true);
    const { externalID } = csiVolume.open(world.object, {}).outputs(world.memory);
    expect(externalID).toBe(made);
    expect(await lastly(world)).toMatch(/^removed; ; destroyed disk-1,disk-/);
  },
);

test('a new disk that was not looked at since an earlier build had recorded the old one is not known yet', async () => {
  const world = await replacing('lost');
  asBefore(world);
  const { observed: _, ...unseen } = world.memory;
  expect(csiVolume.isPresent(unseen)).toBe(false);
  expect(csiVolume.isPresent({ ...unseen, observed: { externalID: 'disk-1' } })).toBe(false);
});

test('keep-previous: the snapshot can be taken, and then the old disk stays', async () => {
  const world = await replacing('unanswered');
  world.plays({ fates: ['unanswered'] }).declare({ ...edited, deletionPolicy: 'Retain' });
  await world.visit();
  expect(world.memory.pending).toMatchObject({ op: 'keep-previous' });
  expect(await canBeTaken(world)).toBe(true);
  expect(await lastly(world)).toMatch(/^kept; disk-1 of ebs as nothing, .* of nfs as .*; destroyed $/);
});

test.for<readonly Fate[]>([['unanswered'], ['unanswered', 'unanswered']])(
  'a new disk that somebody deregisters then is registered again, and not the old one in its place: %s',
  async (fates) => {
    const world = await replacing(...fates);
    const { name } = world.object.key;
    const made = world.service.volumes.get(name)?.ExternalID;
    world.service.volumes.delete(name);
    await world.settle();
    expect(world.service.volumes.get(name)?.ExternalID).toBe(made);
    expect(world.service.destroyed).toEqual(['disk-1']);
  },
);

test('the new disk stays recorded while the old one goes, also if it was registered again only just', () => {
  const { identity: _notReadYet, ...seen } = recorded;
  const disk = { ...previous.disk, externalID: 'vol-0' };
  const old = { disk, retired: id, applied: { ...applied, '/pluginID': 'nfs' } };
  const own = { ...recorded.own, previous: old };
  const pending = { op: 'revive', token: '', done: true } as const;
  const step = firstStep({ memory: { ...seen, own, pending }, policy: { deletion: 'Delete' } });
  expect(step).toMatchObject({ intent: { op: 'retire-previous' }, own, noted: own });
});
