// A snapshot with hooks on the embedded scheduler, over real sockets, under the real reconciler. What was frozen and thawed, and
// when, is told by the service's own record of commands.
import { describe, expect, test } from 'vitest';
import type { SchedulerDialectName } from '../../../src/api/dialects.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import { parseOwn, takenIn } from '../../../src/kinds/csi-snapshot/own.ts';
import { create } from '../../embedded/scheduler/running.ts';
import { all as access, worldOn, type World } from '../allocation-action/world.ts';

const about = { key: { kind: 'CSISnapshot', namespace: 'shop', name: 'nightly' }, kind: csiSnapshot };
const run = (...command: readonly string[]) => ({ exec: { task: 'server', command } });
const hooks = {
  selector: { job: 'db' },
  before: run('true', 'freeze'),
  after: run('true', 'thaw'),
};
const specOf = (more: object = {}) => ({
  volumeID: 'data',
  pluginID: 'hostpath',
  hooks: { ...hooks, ...more },
});

async function site(dialect: SchedulerDialectName = 'nomad', more: object = {}) {
  const world = await worldOn(dialect, specOf(more), about);
  await create(world.service.client, 'data');
  const ids = [await world.place('db'), await world.place('db')];
  await world.place('web');
  return { world, ids };
}

const done = ({ service }: World): readonly string[] =>
  service.server.tallies().executed.map(({ words: [, what = ''] }) => what);
const told = ({ status }: World, type: 'Consistent' | 'WorkloadFrozen' | 'Ready'): string => {
  const found = conditionOf(status.conditions, type);
  return found ? `${found.status} ${found.reason}` : 'nothing';
};
const taken = async ({ service }: World): Promise<number> => {
  const all: readonly object[] = (await service.client.get('/setup/snapshots')).json();
  return all.filter((one) => JSON.stringify(one).includes('"nightly-')).length;
};

/** Allocations that were frozen, and not thawed since: by the service's word. */
function frozen({ service }: World): readonly string[] {
  const open = new Set<string>();
  for (const { allocation, words } of service.server.tallies().executed)
    if (words.includes('freeze')) open.add(allocation);
    else if (words.includes('thaw')) open.delete(allocation);
  return [...open];
}

test.for(['cluster', 'nomad'] as const)(
  'in %s: all of the job are frozen, then it is taken, then all are thawed, in one visit',
  async (dialect) => {
    const { world, ids } = await site(dialect);
    let between: readonly string[] = [];
    world.onCall = (op) => {
      if (op === 'snapshot.create') between = frozen(world);
    };
    await world.visit();
    expect(between.toSorted()).toEqual(ids.toSorted());
    expect(done(world)).toEqual(['freeze', 'freeze', 'thaw', 'thaw']);
    world.service.clock.advance(60_000);
    await world.settle();
    expect([told(world, 'Ready'), told(world, 'Consistent')]).toEqual(['True InSync', 'True Quiesced']);
    expect(done(world)).toHaveLength(4);
    expect(told(world, 'WorkloadFrozen')).toBe('nothing');
  },
);

test('killed anywhere: whoever comes back thaws before anything else, and nothing is taken twice', async () => {
  const whole = await site();
  await whole.world.settle();
  const { points } = whole.world;
  expect(points).toBeGreaterThan(12);
  const ends = new Map<string, number>();
  for (let at = 1; at <= points; at++) {
    const { world } = await site();
    world.diesAt = at;
    await world.visit();
    const open = frozen(world);
    const first: string[] = [];
    world.onCall = (op) => first.push(op);
    const before = done(world).length;
    await world.visit();
    if (open.length > 0) expect(first[0], `killed at ${at}`).toBe('allocation.exec');
    if (open.length > 0) expect(done(world)[before], `killed at ${at}`).toBe('thaw');
    expect(frozen(world), `killed at ${at}`).toEqual([]);
    await world.settle();
    expect(frozen(world), `killed at ${at}`).toEqual([]);
    expect(await taken(world), `killed at ${at}`).toBe(1);
    const end = `${told(world, 'Ready')}, ${told(world, 'Consistent')}`;
    ends.set(end, (ends.get(end) ?? 0) + 1);
    await world.service.stop();
  }
  // What was asked for and not answered before the thaw is not called consistent.
  expect([...ends.keys()].toSorted()).toEqual([
    'False QuiesceInterrupted, Unknown QuiesceInterrupted',
    'True InSync, True Quiesced',
  ]);
  expect(ends.get('True InSync, True Quiesced')).toBeGreaterThan(points / 2);
});

/** Killed once both are frozen. */
async function leftFrozen(more: object = {}) {
  const { world, ids } = await site('nomad', more);
  world.onCall = (op) => {
    if (op === 'snapshot.create') world.diesAt = world.points + 1;
  };
  await world.visit();
  expect(frozen(world)).toHaveLength(2);
  world.onCall = () => {};
  world.diesAt = 0;
  return { world, ids };
}

describe('found frozen', () => {
  test('the thaw is that of the freeze, whatever was edited meanwhile', async () => {
    const { world } = await leftFrozen();
    world.declare(specOf({ after: run('true', 'another'), selector: { job: 'web' } }));
    await world.visit();
    expect(done(world).slice(2)).toEqual(['thaw', 'thaw']);
  });

  test.for<{ why: string; more?: object; before?: (world: World) => void }>([
    { why: 'suspended', more: { requests: { suspend: 'true' } } },
    { why: 'leaving', more: { deleting: true } },
    { why: 'without access', before: (world) => (world.access = []) },
    { why: 'without the access to run commands', before: (world) => (world.access = [{ actions: [] }]) },
  ])('it is thawed though it is $why by now', async ({ more = {}, before = () => {} }) => {
    const { world } = await leftFrozen();
    world.declare(specOf(), more);
    before(world);
    await world.visit();
    expect(done(world)).toEqual(['freeze', 'freeze', 'thaw', 'thaw']);
  });

  test('an allocation that has ended is not asked for ever', async () => {
    const { world, ids } = await leftFrozen();
    await world.service.client.put(`/setup/allocations/${ids[0]}`, { ClientStatus: 'complete' });
    await world.visit();
    expect(frozen(world)).toEqual([ids[0]]);
    expect(parseOwn(world.status.own)?.hooks?.quiesce).toBeUndefined();
  });

  test('one that does not answer is asked again, by the next visit, and only that one', async () => {
    const { world } = await leftFrozen();
    world.onCall = () => {
      throw new ApiError('unavailable', 'Unavailable', 'nobody is there');
    };
    expect((await world.visit())?.ending).toMatchObject({ is: 'failed', error: { reason: 'ThawPending' } });
    expect(told(world, 'Ready')).toBe('False ThawPending');
    world.onCall = () => {};
    await world.visit();
    expect(frozen(world)).toEqual([]);
  });
});

describe('what can not be frozen', () => {
  test.for([
    { why: 'a command that fails', more: { before: run('false', 'freeze') }, message: 'exit code 1' },
    {
      why: 'a task that is not there',
      more: { before: { exec: { task: 'other', command: ['true'] } } },
      message: 'task not found',
    },
    {
      why: 'a command that hangs',
      more: { before: { exec: { task: 'server', command: ['sleep', '1000'], timeout: '1s' } } },
      message: 'no answer in time',
    },
    {
      why: 'a job of which nothing runs',
      more: { selector: { job: 'nobody' } },
      message: 'no allocation of job nobody',
    },
  ])('$why: no snapshot, and all are thawed', async ({ more, message }) => {
    const { world } = await site('nomad', more);
    await world.visit();
    const { status, message: said = '' } = conditionOf(world.status.conditions, 'Ready') ?? {};
    expect(status).toBe('False');
    expect(parseOwn(world.status.own)?.hooks?.message ?? said).toContain(message);
    expect(await taken(world)).toBe(0);
    expect(frozen(world)).toEqual([]);
  });

  test('what did not answer may freeze later, and is thawed once more', async () => {
    const sleep = { exec: { task: 'server', command: ['sleep', '1000'], timeout: '1s' } };
    const { world } = await site('nomad', { before: sleep });
    const first = await world.visit();
    expect([told(world, 'Ready'), first?.requeueMs]).toEqual(['False ThawPending', 5_000]);
    expect(done(world)).toEqual(['1000', '1000', 'thaw', 'thaw']);
    world.declare(specOf({ before: sleep }), { requests: { suspend: 'true' } });
    world.service.clock.advance(5_000);
    await world.visit();
    expect(done(world).slice(4)).toEqual(['thaw', 'thaw']);
    expect(told(world, 'Ready')).not.toContain('ThawPending');
  });

  test('is tried three times and no more', async () => {
    const { world } = await site('nomad', { before: run('false', 'freeze') });
    await world.settle();
    expect(done(world).filter((what) => what === 'freeze')).toHaveLength(6);
    expect(told(world, 'Ready')).toBe('False QuiesceFailed');
    world.declare(specOf());
    await world.settle();
    expect([told(world, 'Ready'), told(world, 'Consistent')]).toEqual(['True InSync', 'True Quiesced']);
  });

  test('with Continue it is taken all the same, and says what it is', async () => {
    const { world } = await site('nomad', { before: run('false', 'freeze'), onFailure: 'Continue' });
    await world.settle();
    expect([told(world, 'Ready'), told(world, 'Consistent')]).toEqual(['True InSync', 'False QuiesceFailed']);
    expect(done(world)).toEqual(['freeze', 'freeze', 'thaw', 'thaw']);
  });

  test('nobody is frozen whom the connection does not allow to be', async () => {
    const { world } = await site();
    world.access = [{ actions: ['Signal'] }];
    await world.visit();
    expect(told(world, 'Ready')).toBe('False AccessDenied');
    world.access = [{ ...access, externalNames: ['data', 'web'] }];
    await world.visit();
    expect(told(world, 'Ready')).toBe('False AccessDenied');
    expect(done(world)).toEqual([]);
  });
});

test('at the deadline it is thawed while the plugin still works, and what it makes is not called consistent', async () => {
  const { world } = await site('nomad', { deadline: '10s' });
  world.onCall = (op) => {
    if (op === 'snapshot.create') world.service.clock.advance(10_000);
  };
  await world.visit();
  expect(frozen(world)).toEqual([]);
  world.onCall = () => {};
  await world.settle();
  expect([told(world, 'Ready'), told(world, 'Consistent')]).toEqual([
    'False QuiesceExpired',
    'False QuiesceExpired',
  ]);
  world.declare(specOf({ deadline: '10s', onFailure: 'Continue' }));
  await world.settle();
  expect([told(world, 'Ready'), told(world, 'Consistent')]).toEqual(['True InSync', 'False QuiesceExpired']);
  expect(takenIn(parseOwn(world.status.own))).toBeDefined();
});

const signal = (name: string) => ({ signal: { name } });

test('signals freeze and thaw as well', async () => {
  const { world, ids } = await site('nomad', { before: signal('SIGUSR1'), after: signal('SIGUSR2') });
  await world.settle();
  expect(told(world, 'Consistent')).toBe('True Quiesced');
  const { allocations } = world.service.server.tallies();
  expect(ids.map((id) => allocations[id]?.signals)).toEqual([2, 2]);
});
