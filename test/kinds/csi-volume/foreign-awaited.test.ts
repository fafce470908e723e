// A volume leaves while a last snapshot is declared of it, and something else is registered under its ID. The two wait for each other
// until a person does something about that. It was said that the snapshot uses the volume, and nothing else.
import { expect, test } from 'vitest';
import { conditionOf, isTrue } from '../../../src/core/status/condition.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { World } from './world.ts';

const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' } as const;
const edited: Partial<Spec> = { ...policies, pluginID: 'nfs' };

/** Its old disk was let go of, and no new one made. */
async function halfReplaced(spec: Partial<Spec>): Promise<World> {
  const world = new World({ ...policies, ...spec });
  await world.settle();
  world.plays({ fates: ['done', 'lost'] }).declare({ ...edited, ...spec });
  await world.visit();
  expect(world.service.volumes.size).toBe(0);
  return world;
}

/** What was recorded is gone, and that was seen. */
async function taken(spec: Partial<Spec>): Promise<World> {
  const world = new World({ ...policies, ...spec });
  await world.settle();
  world.service.volumes.clear();
  world.service.put(world.object.key.name, 'theirs', 'x');
  await world.settle();
  return world;
}

const displaced = () =>
  'disk-1 was deregistered, and theirs has taken its place: deregister that one, and this goes on; ' +
  'to keep theirs instead, remove the manifest, run holdfast orphan, and declare it anew with Adopt';
const foreign = (index: unknown) =>
  `still used by CSISnapshot/shop/last, and what is there is not its own: theirs ${String(index)}. Remove that outside, or remove what uses it`;

test.for([
  { why: 'half replaced', begin: halfReplaced, spec: {}, says: displaced, after: ['no', true] },
  {
    why: 'half replaced, to be kept',
    begin: halfReplaced,
    spec: { deletionPolicy: 'Retain' as const },
    says: displaced,
    after: ['no', true],
  },
  { why: 'deregistered by somebody', begin: taken, spec: {}, says: foreign, after: ['kept', false] },
])('$why: it says what is in the way, and goes on once that is not', async ({ begin, spec, says, after }) => {
  const world = await begin(spec);
  const { name } = world.object.key;
  if (!world.service.volumes.has(name)) world.service.put(name, 'theirs', 'x');
  const { CreateIndex } = world.service.read(name) ?? {};
  world.isAwaited = true;
  world.declare(undefined);
  await world.settle();
  const said = conditionOf(world.memory.conditions, 'Synced');
  expect(said).toMatchObject({ status: 'False', reason: 'DeletionBlocked' });
  expect(said?.message).toBe(says(CreateIndex));
  world.service.volumes.delete(name);
  await world.settle();
  const isServing = csiVolume.isPresent(world.memory) ?? isTrue(world.memory.conditions, 'Ready');
  expect([world.released, isServing]).toEqual(after);
});

test('a volume that is its own says only who uses it', async () => {
  const world = new World(policies);
  await world.settle();
  world.isAwaited = true;
  world.declare(undefined);
  await world.settle();
  expect(conditionOf(world.memory.conditions, 'Synced')?.message).toBe('still used by CSISnapshot/shop/last');
});
