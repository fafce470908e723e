// The clock of the service was an hour ahead when it rotated last, and was set right since. It goes on rotating.
import { expect, test } from 'vitest';
import { goOn, said, settled, versionIn } from './asking.ts';
import type { Options, World } from './world.ts';

/** The published password was rotated by a clock that was an hour ahead. */
async function ahead(spec: Options['spec']): Promise<World> {
  const world = await settled({ spec: { rotationPeriod: '10m', ...spec } });
  world.advance(1_000);
  rotate(world, world.nowMs + 3_600_000);
  await world.settle();
  expect(versionIn(world)).toBe('2');
  return world;
}

/** The service rotates, by a clock that shows this. */
function rotate({ directory }: World, rotatedMs: number): void {
  const { role } = directory;
  if (role) directory.role = { ...role, version: role.version + 1, rotatedMs };
}

/** Shorter than the rotation period, and long enough for every look that is repeated. */
const forMs = 480_000;

const isDead = (world: World): boolean => versionIn(world) !== String(world.directory.role?.version);

test('that it rotates shows in a second earlier rotation: from then on what it rotates is published', async () => {
  const world = await ahead({});
  const dead: boolean[] = [];
  for (let rotation = 0; rotation < 4; rotation++) {
    rotate(world, world.nowMs);
    await goOn(world, forMs);
    dead.push(isDead(world));
  }
  expect([dead, said(world, 'Ready')]).toEqual([[true, false, false, false], 'True InSync']);
  expect(world.memory.own).not.toHaveProperty('earlier');
});

test('an earlier one that shows again after the published one is no second one: it may be a lag again', async () => {
  const world = await ahead({});
  const last = world.directory.role;
  for (const rotatedMs of [world.nowMs, world.nowMs + 1]) {
    rotate(world, rotatedMs);
    await goOn(world, forMs);
    expect(said(world, 'Ready')).toBe('False EarlierRotation');
    world.directory.role = last;
    await goOn(world, forMs);
    expect(said(world, 'Ready')).toBe('True InSync');
  }
  expect(versionIn(world)).toBe('2');
});

test('nor is one still later whose password the directory rejects', async () => {
  const world = await ahead({ rotationPeriod: '1h', verify: { bind: true } });
  world.directory.rejectsBinds = true;
  for (let rotation = 0; rotation < 2; rotation++) {
    rotate(world, world.nowMs);
    await goOn(world, forMs);
    await goOn(world, forMs);
  }
  expect([versionIn(world), said(world, 'RotationVerified')]).toEqual(['2', 'Unknown EarlierRotation']);
  expect(world.directory.binds.slice(2)).toEqual(['3', '3', '3', '4', '4', '4']);
});
