// The secrets service is restored from a backup of the wrong day, then from a later one. The directory keeps its password.
import { expect, test } from 'vitest';
import { settled, versionIn } from './asking.ts';

test('two backups that were restored one after the other passed for rotations, and a dead password was published', async () => {
  const world = await settled({ spec: { rotationPeriod: '720h' } });
  const history = [world.directory.role];
  for (const token of ['t1', 't2']) {
    world.advance(60_000);
    world.request('rotate', token);
    await world.settle();
    history.push(world.directory.role);
  }
  expect(versionIn(world)).toBe('3');
  for (const restored of history.slice(0, 2)) {
    world.directory.role = restored;
    for (let look = 0; look < 120; look++) {
      await world.visit();
      world.advance(1_000);
    }
  }
  expect(versionIn(world)).toBe('3'); // nobody rotated: the directory still takes it
});
