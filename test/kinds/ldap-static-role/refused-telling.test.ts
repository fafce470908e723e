// A call of one consumer that is refused, as where its task is misspelt, holds up nobody else: the others have a dead password until
// they are told, and what the service rotates next has to be published in time.
import { expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import type { Spec } from '../../../src/kinds/ldap-static-role/schema.ts';
import { jobsAt, said, settled, tells, versionIn } from './asking.ts';
import { restarted, signalled } from './surroundings.ts';
import type { World } from './world.ts';

const unknown = new ApiError('refused', 'TaskNotFound', 'allocation.signal: Task not found', { status: 404 });

/** The second password is asked for. What is made by `goOn` is visited when it asks for that, and not sooner. */
async function rotated(consumers: NonNullable<Spec['consumers']>, more: Partial<Spec> = {}) {
  const world = await settled({ spec: { ...more, consumers } });
  for (const job of ['web', 'api']) jobsAt(world).run(job, 3);
  jobsAt(world).refusing.set('sever', unknown);
  world.request('rotate', 't1');
  let dueMs = world.nowMs;
  /** @returns how often it was visited */
  const goOn = async (forMs: number): Promise<number> => {
    let visits = 0;
    for (const endMs = world.nowMs + forMs; dueMs < endMs; visits++) {
      world.advance(Math.max(1, dueMs - world.nowMs));
      const visit = await world.visit();
      dueMs = world.nowMs + (visit?.requeueMs ?? Infinity);
      if (dueMs >= endMs) world.advance(endMs - world.nowMs);
    }
    return visits;
  };
  return { world, goOn };
}

const misspelt = (job: string) => signalled(job, { task: 'sever' });

test.for<readonly [where: string, consumers: NonNullable<Spec['consumers']>]>([
  ['comes first', [misspelt('web'), restarted('api')]],
  ['comes last', [restarted('api'), misspelt('web')]],
])('the others were told ten minutes later: one that is refused $0', async ([, consumers]) => {
  const { world, goOn } = await rotated(consumers);
  await goOn(40_000);
  expect([tells(world, 'api'), tells(world, 'web')]).toEqual([
    [1, 1, 1],
    [0, 0, 0],
  ]);
  expect(said(world, 'ConsumersNotified')).toMatch(/^False /);
});

test('what the service rotated meanwhile was published up to ten minutes later', async () => {
  const { world, goOn } = await rotated([misspelt('web')]);
  await goOn(10_000);
  world.directory.rotate();
  await goOn(60_000);
  expect(versionIn(world)).toBe('3');
});

test('what the service rotates when it is due is published right then', async () => {
  const { world, goOn } = await rotated([misspelt('web')], {
    rotationPeriod: '5m',
    drift: { interval: '10m' },
  });
  await goOn(305_000);
  expect(versionIn(world)).toBe('3');
});

test('those that are refused are tried again once a minute, and told once that is mended', async () => {
  const { world, goOn } = await rotated([misspelt('web'), misspelt('api')]);
  await goOn(30_000);
  expect(await goOn(600_000)).toBeLessThanOrEqual(45);
  jobsAt(world).refusing.clear();
  await goOn(70_000);
  expect([tells(world, 'web'), tells(world, 'api')]).toEqual([
    [1, 1, 1],
    [1, 1, 1],
  ]);
});

const denied = (op: string) =>
  new ApiError('refused', 'PermissionDenied', `${op}: permission denied`, { status: 403 });

test.for([
  ['an edit', 'ldap.role.write', (world: World) => world.declare({ rotationPeriod: '2h' })],
  ['an edit that can not be made, or', '', (world: World) => world.declare({ username: 'other' })],
  ['a rotation', 'ldap.role.rotate', (world: World) => world.request('rotate', 't2')],
] as const)('$0 that is refused kept what the service rotated from being published', async ([, op, ask]) => {
  const { world, goOn } = await rotated([signalled('web')]);
  await goOn(40_000);
  world.directory.refusing.set(op, denied(op));
  ask(world);
  await goOn(60_000);
  expect(said(world, 'Ready')).toMatch(/^False (PermissionDenied|ImmutableFieldChanged)$/);
  world.directory.rotate();
  await goOn(60_000);
  expect(versionIn(world)).toBe('3');
});

test.for<readonly [how: string, consumer: NonNullable<Spec['consumers']>[number]]>([
  ['a signal', signalled('web')],
  ['a restart', restarted('web')],
])('the others of the job were never told: one allocation that refuses $0', async ([, consumer]) => {
  const { world, goOn } = await rotated([consumer]);
  jobsAt(world).refusing.set('web-000', unknown);
  await goOn(200_000);
  expect(tells(world, 'web')).toEqual([0, 1, 1]);
  expect(said(world, 'ConsumersNotified')).toMatch(/^False /);
  jobsAt(world).refusing.clear();
  await goOn(70_000);
  expect(tells(world, 'web')).toEqual([1, 1, 1]);
});

test('a task that refuses keeps no task of another allocation from being told', async () => {
  const { world, goOn } = await rotated([signalled('web')]);
  for (const id of ['web-000', 'web-001', 'web-002'])
    jobsAt(world).has(id, { log: { State: 'running' }, once: { State: 'dead' } });
  jobsAt(world).refusing.set('server', unknown);
  await goOn(200_000);
  jobsAt(world).refusing.clear();
  await goOn(200_000);
  expect(tells(world, 'web')).toEqual([2, 2, 2]);
});
