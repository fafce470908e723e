// What is frozen for a snapshot is left alone until it is thawed: a restart in between ends the freeze, and the snapshot would
// still be called consistent.
import { expect, test } from 'vitest';
import { allocationNamed } from '../../../src/schema/scheduler/allocations.ts';
import { worldOn } from './world.ts';

const deadlineMs = 60_000;

/** An action on two allocations, both of which are frozen. */
async function frozen() {
  const world = await worldOn('nomad', { selector: { job: 'web' }, action: { restart: {} } });
  const ids = [await world.place('web'), await world.place('web')];
  world.freeze(ids.map(allocationNamed), world.service.clock.nowMs() + deadlineMs);
  const restarts = () => ids.map((id) => world.service.server.tallies().allocations[id]?.restarts);
  /** Visits as the queue would, which nothing else wakes. */
  const pass = async (ms: number): Promise<void> => {
    for (const endMs = world.service.clock.nowMs() + ms; world.service.clock.nowMs() < endMs;) {
      const visit = await world.visit();
      world.service.clock.advance(Math.max(1, Math.min(visit?.requeueMs ?? ms, ms)));
    }
  };
  return { world, restarts, pass };
}

test('no restart is asked of it, and the action says who has frozen it', async () => {
  const { world, restarts, pass } = await frozen();
  await pass(deadlineMs / 2);
  expect(restarts()).toEqual([0, 0]);
  expect(world.ready).toBe('False QuiesceInProgress');
  expect(JSON.stringify(world.status.conditions)).toContain('CSISnapshot/shop/nightly has frozen it');
  expect(world.phases).toEqual(['Pending', 'Pending']);
});

test('once it is thawed, it is restarted', async () => {
  const { world, restarts, pass } = await frozen();
  await pass(deadlineMs / 4);
  world.thaw();
  await pass(deadlineMs / 4);
  expect(restarts()).toEqual([1, 1]);
});

test('where nobody thaws it in time it is restarted all the same: that may be what helps', async () => {
  const { world, restarts, pass } = await frozen();
  await pass(2 * deadlineMs);
  expect(restarts()).toEqual([1, 1]);
  expect(world.ready).toBe('True InSync');
});
