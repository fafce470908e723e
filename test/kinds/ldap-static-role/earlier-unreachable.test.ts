// Service and directory were restored from a backup, and the directory comes up later. Its silence is no rejection of a password.
import { expect, test } from 'vitest';
import { said, settled, versionIn } from './asking.ts';

test('the earlier password, which is the one that works, is published once the directory answers', async () => {
  const world = await settled({ spec: { verify: { bind: true } } });
  const { directory } = world;
  const before = directory.role;
  world.advance(1_000);
  world.request('rotate', 't1');
  await world.settle();
  expect(versionIn(world)).toBe('2');
  directory.role = before;
  directory.isSilent = true;
  for (let look = 0; look < 120; look++) {
    await world.visit();
    world.advance(1_000);
  }
  directory.isSilent = false;
  for (let look = 0; look < 40; look++) {
    await world.visit();
    world.advance(60_000);
    if (directory.role?.version !== 1) break; // the service rotated by itself
  }
  expect(directory.role?.version).toBe(1);
  expect([versionIn(world), said(world, 'Ready')]).toEqual(['1', 'True InSync']);
});
