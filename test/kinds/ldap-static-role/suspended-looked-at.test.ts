// Who suspends a role, or the service behind it, stops what is changed, and not what is reported (docs/using.md: "Holdfast goes on
// looking").
import { expect, test } from 'vitest';
import { isTrue } from '../../../src/core/status/condition.ts';
import { jobsAt, settled, versionIn } from './asking.ts';
import { signalled } from './surroundings.ts';
import { World } from './world.ts';

/** Visits only when a visit asked for it, as the controller does. */
async function play(world: World, forMs: number): Promise<void> {
  const endMs = world.nowMs + forMs;
  for (;;) {
    const visit = await world.visit();
    const dueMs = visit?.requeueMs;
    if (dueMs === undefined || world.nowMs + dueMs > endMs) break;
    world.advance(Math.max(1, dueMs));
  }
  while (world.nowMs < endMs) world.advance(Math.min(60_000, endMs - world.nowMs));
}

test('a role that was suspended while a consumer was to be told is not Ready with a password that is dead', async () => {
  const world = new World({ spec: { consumers: [signalled('web')] } });
  jobsAt(world).run('web', 1);
  await world.settle();
  world.broken.add('nomad'); // the consumer can't be told yet
  world.advance(1_000);
  world.request('rotate', 't1');
  await world.settle();
  world.broken.delete('nomad');
  world.request('suspend', 'true');
  await play(world, 5 * 3_600_000); // the service rotates every hour
  const isDead = versionIn(world) !== String(world.directory.role?.version);
  expect({ isDead, isReady: isTrue(world.memory.conditions, 'Ready') }).toEqual({
    isDead: true,
    isReady: false,
  });
});

test('what a suspended role waits with is looked at again', async () => {
  const world = await settled({ spec: {} });
  world.request('suspend', 'true');
  world.advance(3_700_000); // the service has rotated
  const visit = await world.visit();
  expect(visit?.ending).toMatchObject({ is: 'blocked', plan: { reason: 'Suspended' } });
  expect(visit?.requeueMs).toBeDefined();
});
