// The connection of a consumer is suspended: nothing is changed at that scheduler, and the role goes on with everything else.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { keyText } from '../../../src/core/resource.ts';
import { jobsAt, said, tells, versionIn } from './asking.ts';
import { schedulerKey, signalled } from './surroundings.ts';
import { World, type Options } from './world.ts';

const elsewhere = { job: { ...signalled('api').job, connectionRef: { name: 'other' } } };

async function suspended(options: Options): Promise<World> {
  const world = new World(options);
  jobsAt(world).run('web', 1);
  jobsAt(world, 'other').run('api', 1);
  await world.settle();
  world.source.declare({ key: schedulerKey('nomad'), requests: { suspend: 'true' }, spec: {} });
  expect(world.source.read(keyText(schedulerKey('nomad')))?.object.requests).toEqual({ suspend: 'true' });
  return world;
}

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

test('the rotations of the service are published all the same: a dead password is not left, and not Ready', async () => {
  const world = await suspended({ spec: { consumers: [signalled('web')] } });
  await play(world, 5 * 3_600_000); // the service rotates every hour
  const inForce = String(world.directory.role?.version);
  expect(Number(inForce)).toBeGreaterThan(3);
  expect({ published: versionIn(world), ready: said(world, 'Ready') }).toEqual({
    published: inForce,
    ready: 'True InSync',
  });
});

test('the consumers of other schedulers are told; the others are named, and told once it is resumed', async () => {
  const world = await suspended({ spec: { consumers: [signalled('web'), elsewhere] } });
  await play(world, 1.5 * 3_600_000);
  expect(world.directory.role?.version).toBe(2);
  const api = () => Object.values(jobsAt(world, 'other').told('api')).map((t) => t.length);
  expect([tells(world, 'web'), api()]).toEqual([[0], [1]]);
  expect(conditionOf(world.memory.conditions, 'ConsumersNotified')).toMatchObject({
    status: 'False',
    message: '/consumers/0: SchedulerConnection/nomad is suspended',
  });
  world.source.declare({ key: schedulerKey('nomad'), requests: {}, spec: {} });
  await world.settle();
  expect([tells(world, 'web'), said(world, 'ConsumersNotified')]).toEqual([[1], 'True Notified']);
});
