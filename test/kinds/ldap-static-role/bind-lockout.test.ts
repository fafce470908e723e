// A directory rejects the new password for a while, as one of its servers that has not replicated yet does. A directory locks
// an account after some binds with a wrong password, whichever process sends them.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { statusSchema } from '../../../src/core/status/status.ts';
import { parseOwn } from '../../../src/kinds/ldap-static-role/own.ts';
import { said, settled, versionIn } from './asking.ts';
import { World } from './world.ts';

const rotationPeriod = '720h';

/** Rotated once more, and rejected by the directory. */
async function rejecting(): Promise<World> {
  const world = await settled({ spec: { rotationPeriod, verify: { bind: true } } });
  world.directory.rejectsBinds = true;
  world.directory.binds.length = 0;
  world.directory.rotate();
  return world;
}

/** Visits as often as each visit says, a minute apart at most. @returns when there was a bind, in seconds from now */
async function bindsIn(world: World, forMs: number, atMostMs = 60_000): Promise<readonly number[]> {
  const startMs = world.nowMs;
  const found: number[] = [];
  while (world.nowMs - startMs < forMs) {
    const before = world.directory.binds.length;
    const atMs = world.nowMs;
    const visit = await world.visit();
    for (let more = before; more < world.directory.binds.length; more++)
      found.push(Math.round((atMs - startMs) / 1_000));
    world.advance(Math.min(visit?.requeueMs ?? atMostMs, atMostMs));
  }
  return found;
}

test('the new password is tried soon again, then so rarely that its account is not locked, and published once it works', async () => {
  const world = await rejecting();
  expect(await bindsIn(world, 1_000_000)).toEqual([0, 5, 35, 335, 635, 935]);
  expect(said(world, 'Ready')).toBe('False BindRejected');
  expect(said(world, 'RotationVerified')).toBe('Unknown BindPending');
  const ready = conditionOf(world.memory.conditions, 'Ready');
  expect(ready?.message).toMatch(/^the directory rejects the password of uid=/);
  expect(world.memory.history.at(-1)?.what).toMatch(/^note that the directory rejects the password of /);
  expect(world.memory.tries).toEqual({});
  world.directory.rejectsBinds = false;
  await world.settle();
  expect([versionIn(world), world.directory.binds.length]).toEqual(['2', 7]);
  expect(world.memory.own).not.toHaveProperty('rejected');
});

test('one that replicates within two seconds is published after five: it was five minutes', async () => {
  const world = await rejecting();
  await bindsIn(world, 2_000);
  world.directory.rejectsBinds = false;
  expect(await bindsIn(world, 10_000)).toHaveLength(1);
  expect([versionIn(world), said(world, 'Ready')]).toEqual(['2', 'True InSync']);
});

test('a process that starts over and over does not bind at each start', async () => {
  const world = await rejecting();
  for (const endMs = world.nowMs + 600_000; world.nowMs < endMs; world.advance(10_000)) {
    world.restart();
    await world.visit();
  }
  expect(world.directory.binds).toHaveLength(4);
});

test('rotations that follow fast on each other are not tried more often: each is rejected as the last one was', async () => {
  const world = await rejecting();
  await bindsIn(world, 60_000);
  world.directory.binds.length = 0;
  for (let rotation = 0; rotation < 10; rotation++) {
    world.directory.rotate();
    await bindsIn(world, 60_000, 10_000);
  }
  expect(world.directory.binds.length).toBeLessThanOrEqual(2);
});

test('a rotation that somebody asks for is tried at once', async () => {
  const world = await rejecting();
  await bindsIn(world, 60_000);
  world.directory.rejectsBinds = false;
  world.request('rotate', 't1');
  const startMs = world.nowMs;
  await world.settle();
  expect(versionIn(world)).toBe(String(world.directory.role?.version));
  expect(world.nowMs - startMs).toBeLessThan(5_000);
});

test('whoever asks to reconcile has it tried at once, and once', async () => {
  const world = await rejecting();
  await bindsIn(world, 60_000);
  world.request('reconcile', 'r1');
  expect(await bindsIn(world, 200_000)).toEqual([0]);
  expect(world.memory.handledRequests['reconcile']).toBe('r1');
});

test.for([{ times: 0 }, { times: 4 }, { inRow: 1.5 }, { wallMs: -1 }, { wallMs: 'soon' }, { instant: 7 }])(
  'a record that holds %j is no record: it would be believed for ever',
  (odd) => {
    const rejected = { instant: '2026-03-01T00:00:00.000Z', times: 3, inRow: 3, wallMs: 0 };
    expect(parseOwn({ rejected })).toEqual({ rejected });
    expect(parseOwn({ rejected: { ...rejected, ...odd } })).toBeUndefined();
  },
);

const hourMs = 3_600_000;
test.for([-hourMs, hourMs])(
  'the date that is set by %i ms stalls nothing, and costs one bind at most',
  async (aheadMs) => {
    const world = await rejecting();
    await bindsIn(world, 60_000);
    world.aheadMs = aheadMs;
    const ahead = await bindsIn(world, 600_000);
    expect(ahead.length).toBeLessThanOrEqual(3);
    expect(ahead.length).toBeGreaterThanOrEqual(2);
    world.aheadMs = 0;
    const back = await bindsIn(world, 600_000);
    expect(back.length).toBeLessThanOrEqual(3);
    expect(back.length).toBeGreaterThanOrEqual(2);
  },
);

test('what was tried of many earlier rotations does not outgrow the status: nothing could be stored any more', async () => {
  const world = await settled({ spec: { rotationPeriod: '1h', verify: { bind: true } } });
  const rotate = (rotatedMs: number): void => {
    const { role } = world.directory;
    if (role) world.directory.role = { ...role, version: role.version + 1, rotatedMs };
  };
  rotate(world.nowMs + 365 * 24 * hourMs); // by a clock of the service that is a year ahead, and is then set right
  await world.settle();
  expect(versionIn(world)).toBe('2');
  world.directory.rejectsBinds = true;
  for (let rotation = 0; rotation < 70; rotation++) {
    rotate(world.nowMs);
    for (const endMs = world.nowMs + hourMs; world.nowMs < endMs;) {
      const visit = await world.visit();
      world.nowMs += Math.min(Math.max(1_000, visit?.requeueMs ?? 60_000), 60_000);
    }
  }
  expect(world.memory.tries).toEqual({});
  expect(statusSchema.safeParse(world.memory).success).toBe(true);
});
