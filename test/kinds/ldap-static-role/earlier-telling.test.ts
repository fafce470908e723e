// The published password may be the only one that works while the service shows an earlier rotation: who was not told of it yet
// keeps one that is dead for sure.
import { expect, test } from 'vitest';
import { jobsAt, tells, versionIn } from './asking.ts';
import { restarted, signalled } from './surroundings.ts';
import { World } from './world.ts';

test('those who were not told yet of the published password are told, though the service was restored meanwhile', async () => {
  const world = new World({ spec: { consumers: [restarted('web')] } });
  jobsAt(world).run('web', 3);
  await world.settle();
  const before = world.directory.role;
  world.advance(1_000);
  world.request('rotate', 't1');
  for (let look = 0; look < 100 && !tells(world, 'web').includes(1); look++) {
    const visit = await world.visit();
    world.advance(Math.max(1, visit?.requeueMs ?? 1));
  }
  expect([versionIn(world), tells(world, 'web').filter((n) => n > 0)]).toEqual(['2', [1]]);
  world.directory.role = before; // restored from a backup of before the rotation
  for (let look = 0; look < 600; look++) {
    await world.visit();
    world.advance(1_000);
  }
  expect([versionIn(world), tells(world, 'web')]).toEqual(['2', [1, 1, 1]]);
});

test('they are told also while the directory does not answer, and no bind can show which password works', async () => {
  const spec = { rotationPeriod: '720h', verify: { bind: true }, consumers: [signalled('web')] };
  const world = new World({ spec });
  jobsAt(world).run('web', 12);
  await world.settle();
  const before = world.directory.role;
  world.advance(1_000);
  world.broken.add('nomad');
  world.request('rotate', 't1');
  await world.settle();
  expect([versionIn(world), tells(world, 'web').every((n) => n === 0)]).toEqual(['2', true]);
  world.directory.role = before;
  world.directory.isSilent = true;
  world.broken.delete('nomad');
  for (let look = 0; look < 100; look++) {
    await world.visit();
    world.advance(6_000);
  }
  expect(versionIn(world)).toBe('2');
  expect(tells(world, 'web')).toEqual(Array.from({ length: 12 }, () => 1));
  expect(world.directory.binds.length).toBeGreaterThan(2);
});
