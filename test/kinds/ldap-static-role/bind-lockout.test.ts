// A directory rejects the new password for a while, as one of its servers that has not replicated yet does. A directory locks
// an account after some binds with a wrong password.
import { expect, test } from 'vitest';
import { said, versionIn } from './asking.ts';
import { World } from './world.ts';

test('the new password is not tried so often within ten minutes that its account is locked, and published once it works', async () => {
  const world = new World({ spec: { verify: { bind: true } } });
  world.directory.rejectsBinds = true;
  const untilMs = world.nowMs + 600_000;
  while (world.nowMs < untilMs) {
    const visit = await world.visit();
    world.advance(visit?.requeueMs ?? untilMs);
  }
  expect(world.directory.role?.version).toBe(1);
  expect(world.directory.binds).toEqual(['1', '1']);
  expect(said(world, 'Ready')).toBe('False BindRejected');
  world.directory.rejectsBinds = false;
  await world.settle();
  expect([versionIn(world), world.directory.binds.length]).toEqual(['1', 3]);
});
