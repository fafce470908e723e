// A volume leaves while a last snapshot is declared of it. One that is not there can never be snapshotted, so nobody may wait for it, nor
// may it be called ready. One that may be there is looked at, whatever its deletion policy: its snapshot can be taken.
import { expect, test } from 'vitest';
import { isTrue } from '../../../src/core/status/condition.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { World } from './world.ts';

async function visits(world: World, count = 8): Promise<void> {
  for (let visit = 0; visit < count; visit++) {
    await world.visit();
    world.nowMs += 600_000;
  }
}

/** Whether the snapshot could be taken, as the engine judges it (resolve.ts). */
const isServing = ({ memory }: World): boolean =>
  csiVolume.isPresent(memory) ?? isTrue(memory.conditions, 'Ready');

async function leaving(world: World): Promise<string> {
  world.isAwaited = true;
  world.declare(undefined);
  await world.settle();
  await world.settle();
  if (world.released !== 'no') return 'left';
  return isServing(world) ? 'stays, and says that it is there' : 'stays, and is not there';
}

const lost = (world: World) => {
  world.service.disks.clear();
  world.service.volumes.clear();
};

test.for(['Delete', 'Retain'] as const)('one whose disk was lost leaves: %s', async (deletionPolicy) => {
  const world = new World({ deletionPolicy });
  await world.settle();
  lost(world);
  await visits(world);
  expect(isServing(world)).toBe(false);
  expect(await leaving(world)).toBe('left');
});

const observed: Partial<Spec> = { managementPolicy: 'ObserveOnly' };

test('one that is only observed and was never there leaves', async () => {
  const world = new World(observed);
  await visits(world, 3);
  expect(await leaving(world)).toBe('left');
});

test('one that is only observed and has gone leaves', async () => {
  const world = new World(observed);
  world.service.put(world.object.key.name, 'disk-7', 'x');
  await visits(world, 3);
  lost(world);
  await visits(world, 3);
  expect(await leaving(world)).toBe('left');
});

test('one that is only observed and is there stays', async () => {
  const world = new World(observed);
  world.service.put(world.object.key.name, 'disk-7', 'x');
  await visits(world, 3);
  expect(await leaving(world)).toBe('stays, and says that it is there');
});

test.for(['Delete', 'Retain'] as const)(
  'one that was being registered again stays until its snapshot is taken: %s',
  async (deletionPolicy) => {
    const world = new World({ deletionPolicy });
    await world.settle();
    world.service.volumes.clear(); // somebody deregistered it; the disk is there
    world.plays({ fates: ['unanswered'] });
    await world.visit();
    expect(world.service.volumes.size).toBe(1);
    expect(world.memory.pending?.op).toBe('revive');
    expect(await leaving(world)).toBe('stays, and says that it is there');
    world.isAwaited = false;
    await world.settle();
    expect(world.released).not.toBe('no');
  },
);

test('one that is half deleted is back for its snapshot though each record takes more than a second', async () => {
  const world = new World({ deletionPolicy: 'Delete' });
  await world.settle();
  world.plays({ fates: ['done', 'lost'] }).declare(undefined);
  await world.visit();
  expect(world.service.volumes.size).toBe(0);
  world.isAwaited = true;
  const { lasting } = world.source;
  world.source.lasting = async (write, work) => {
    await lasting(write, work);
    if (write.op === 'status') world.nowMs += 1_001;
  };
  world.plays({});
  await visits(world);
  expect(isServing(world)).toBe(true);
  expect(world.released).toBe('no');
});
