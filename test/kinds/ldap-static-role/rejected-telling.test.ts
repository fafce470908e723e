// The directory rejects the next password, so the published one may still be the one that works. Who was not told of it yet keeps
// one that is dead for sure. But as soon as the next one works, everybody is told of that.
import { expect, test } from 'vitest';
import type { Spec } from '../../../src/kinds/ldap-static-role/schema.ts';
import { goOn, jobsAt, said, tells, versionIn } from './asking.ts';
import { restarted, signalled } from './surroundings.ts';
import { World } from './world.ts';

/** The second password is published and nobody could be told of it; the third is there, and can't be tested. */
async function troubled(
  allocations: number,
  consumer: NonNullable<Spec['consumers']>[number] = signalled('web'),
): Promise<World> {
  const spec = { rotationPeriod: '720h', verify: { bind: true }, consumers: [consumer] };
  const world = new World({ spec });
  jobsAt(world).run('web', allocations);
  await world.settle();
  world.advance(1_000);
  world.broken.add('nomad');
  world.request('rotate', 't1');
  await world.settle();
  expect([versionIn(world), tells(world, 'web').every((n) => n === 0)]).toEqual(['2', true]);
  world.directory.rejectsBinds = true;
  world.directory.rotate();
  await world.visit();
  world.broken.delete('nomad');
  return world;
}

test.for([3, 20])(
  'those who were not told yet of the published password are told, %i of them, while the next one can not be published',
  async (allocations) => {
    const world = await troubled(allocations);
    await goOn(world, 600_000);
    expect([versionIn(world), said(world, 'RotationVerified')]).toEqual(['2', 'Unknown BindPending']);
    expect(tells(world, 'web')).toEqual(Array.from({ length: allocations }, () => 1));
  },
);

test('the next one is published as soon as a bind shows that it works, though one that was told does not come back', async () => {
  const world = await troubled(3, restarted('web'));
  jobsAt(world).comesBack('web-000', false);
  await goOn(world, 60_000);
  expect([versionIn(world), tells(world, 'web')]).toEqual(['2', [1, 0, 0]]);
  expect((await world.visit())?.requeueMs).toBeLessThanOrEqual(300_000 - 60_000);
  world.directory.rejectsBinds = false;
  await goOn(world, 300_000);
  expect(versionIn(world)).toBe('3');
});

test('a rejected password is tried as seldom beside the telling: each try may lock the account', async () => {
  const world = await troubled(20);
  world.directory.binds.length = 0;
  await goOn(world, 600_000);
  expect(world.directory.binds.length).toBeLessThanOrEqual(4);
});

test('a new password that works is published before anybody else is told of the dead one', async () => {
  const spec = { rotationPeriod: '720h', verify: { bind: true }, consumers: [restarted('web')] };
  const world = new World({ spec });
  jobsAt(world).run('web', 5);
  await world.settle();
  world.advance(1_000);
  world.request('rotate', 't1');
  for (let look = 0; look < 100 && !tells(world, 'web').includes(1); look++) {
    const visit = await world.visit();
    world.advance(Math.max(1, visit?.requeueMs ?? 1));
  }
  expect(tells(world, 'web').filter((n) => n > 0)).toHaveLength(1);
  world.directory.rotate();
  world.log.length = 0;
  await world.visit();
  expect(versionIn(world)).toBe('3');
  expect(world.log.slice(0, world.log.indexOf('publish'))).not.toContain('allocation.restart');
});
