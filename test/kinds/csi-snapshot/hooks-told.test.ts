// What is read for the hooks of a snapshot, what is recorded of their answers, and what is told of them.
import { describe, expect, test } from 'vitest';
import type { Reader } from '../../../src/api/routes.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { Step } from '../../../src/core/planning/plan.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import { parseOwn, type HooksOwn, type Own } from '../../../src/kinds/csi-snapshot/own.ts';
import type { Hooks } from '../../../src/schema/scheduler/hooks.ts';
import { never } from '../../api/servers.ts';
import { outlineOf } from '../outline.ts';
import { begun, hooks, ids, memory, of, quiesce, spec, wallMs } from './frozen.ts';
import { observe, opened, type Around } from './observe.ts';
import { declared, named, own as taken, recorded, reply, told } from './situation.ts';

const runs = (ID: string, more: object = {}) => ({
  ID,
  JobID: 'orders',
  TaskGroup: 'db',
  Namespace: 'default',
  ClientStatus: 'running',
  ...more,
});
const both = ids.map((id) => runs(id));
const fresh: Around = { spec, memory: noStatus, allocations: both };
const done = { is: 'done', exitCode: 0 };
const refused = { is: 'refused', message: 'no' };

const outlined = async (around: Around): Promise<string> => outlineOf((await observe(around)).plan);

/** Whether tasks are asked for, and which are recorded. */
async function tasksOf(changed: Partial<Hooks>, TaskStates: object) {
  const allocations = [runs('a1', { TaskStates }), runs('a3', { JobID: 'web', TaskStates })];
  const around = { ...fresh, spec: { ...spec, hooks: { ...hooks, ...changed } }, allocations };
  const { asked, plan } = await observe(around);
  const noted = plan.verdict === 'change' ? plan.steps[0].noted : undefined;
  const isAsked = asked.map((one) => Object(one)['task_states'] === true);
  return [isAsked, parseOwn(noted)?.hooks?.quiesce?.tasks];
}

/** The plan where an allocation runs, and another one must stop. @param State of the task that is frozen in that one */
async function withStopping(State: string) {
  const TaskStates = { db: { State }, web: { State: 'running' } };
  const allocations = [runs('a1'), runs('a2', { DesiredStatus: 'stop', TaskStates })];
  return (await observe({ ...fresh, allocations })).plan;
}

const freezes = (...allocations: readonly string[]) => ({
  steps: [{ noted: { hooks: { quiesce: { allocations } } } }, {}, {}],
});

describe('who writes', () => {
  test('is asked of the job, and of its group where one is declared', async () => {
    const { asked, plan } = await observe(fresh);
    expect(asked).toEqual([{ namespace: 'default', filter: 'JobID == "orders"', task_states: true }]);
    expect(plan).toMatchObject({ steps: [{ noted: { hooks: { quiesce: { allocations: ids } } } }, {}, {}] });
    const grouped = { ...spec, hooks: { ...hooks, selector: { job: 'orders', group: 'db' } } };
    const other = runs('a3', { TaskGroup: 'web' });
    const some = await observe({ ...fresh, spec: grouped, allocations: [...both, other] });
    expect(some.asked).toMatchObject([{ filter: 'JobID == "orders" and TaskGroup == "db"' }]);
    expect(some.plan).toMatchObject({ steps: [{ summary: 'freeze 2 allocations of job orders' }, {}, {}] });
  });

  test('is recorded with its tasks where a hook signals all of them, as far as they can be', async () => {
    const signal = { signal: { name: 'SIGUSR1' } };
    const some = { server: { State: 'running' }, init: { State: 'dead' }, cleanup: { State: 'pending' } };
    const { server: _, ...none } = some;
    const running = [[true], { a1: ['server'] }];
    expect(await tasksOf({ before: signal }, some)).toEqual(running);
    expect(await tasksOf({ after: signal }, some)).toEqual(running);
    expect(await tasksOf({ before: signal }, none)).toEqual([[true], { a1: ['init', 'cleanup'] }]);
    const long = { ['x'.repeat(65_536)]: { State: 'running' } };
    expect(await tasksOf({ before: signal }, long)).toEqual([[true], undefined]);
    const one = { signal: { ...signal.signal, task: 'server' } };
    expect(await tasksOf({ before: one }, some)).toEqual([[true], undefined]);
  });

  test('is also who must stop, as long as the task that is frozen runs', async () => {
    expect(await withStopping('running')).toMatchObject(freezes('a1', 'a2'));
    expect(await withStopping('dead')).toMatchObject(freezes('a1'));
  });

  test('is nobody where the service lists none', async () => {
    for (const allocations of [[], null])
      expect(await outlined({ ...fresh, allocations })).toBe('stalled QuiesceFailed until live');
  });

  test('is not known where it lists what is no allocation', async () => {
    const unreadable = new ApiError(
      'unreadable',
      'InvalidResponse',
      'allocation.list: an entry is no allocation',
    );
    await expect(observe({ ...fresh, allocations: [runs('a1'), { ID: 5 }] })).rejects.toThrow(unreadable);
  });
});

const learnt = async (around: Around, step: Partial<Step<never>>, answer: object): Promise<unknown> => {
  const { seen } = await observe({ ...fresh, ...around });
  const asked = { verb: 'act', summary: 'freeze', changes: [], ...step } as const;
  return seen.afterStep(asked, JSON.parse(JSON.stringify(answer))).own;
};
const hooked = (more: Partial<HooksOwn> = {}): Status<Own> => ({
  ...recorded,
  own: { ...taken, hooks: { of, tries: 1, ...more } },
});

describe('what is recorded', () => {
  const noted: Own = { hooks: { ...begun, quiesce: { ...quiesce, frozen: false, unsure: true } } };

  test('of a freeze is what its answers tell', async () => {
    expect(await learnt({}, { noted }, { a1: done, a2: done })).toStrictEqual({ hooks: begun });
    expect(await learnt({}, { noted }, { a1: refused, a2: done })).toMatchObject({
      hooks: { message: '/hooks/before: a1: no', quiesce: { allocations: ['a2'] } },
    });
  });

  test.for<{ why: string; around: Around; step: Partial<Step<never>> }>([
    { why: 'without hooks', around: { spec: declared }, step: { noted } },
    { why: 'of what was noted of nothing', around: {}, step: {} },
    { why: 'of what was noted without hooks', around: {}, step: { noted: taken } },
  ])('of an answer $why is what was known', async ({ around, step }) => {
    const known = memory({ of, tries: 2 });
    expect(await learnt({ ...around, memory: known }, step, { a1: done })).toStrictEqual(known.own);
  });

  test('of the create are its hooks, where it has some', async () => {
    const create = { verb: 'create' } as const;
    const known = memory({ of, tries: 1 });
    expect(await learnt({ memory: known }, create, Object(reply()))).toStrictEqual({
      ...told,
      ready: true,
      hooks: { of, tries: 1, outcome: 'QuiesceFailed' },
    });
    expect(await learnt({ spec: declared }, create, Object(reply()))).toStrictEqual({ ...told, ready: true });
  });

  test('of the create are the disk that it was to be of and the one that it is of, where that is told', async () => {
    const entry = { ID: 'snap-1', IsReady: true, ExternalSourceVolumeID: 'vol-2' };
    const own = await learnt({ spec: declared }, { verb: 'create' }, { Snapshots: [entry] });
    expect(own).toMatchObject({ disk: 'vol-1', source: 'vol-2' });
  });

  test('at rest are its hooks, too', async () => {
    for (const known of [hooked({ outcome: 'Quiesced' }), recorded]) {
      const { seen, plan } = await observe({ spec, memory: known });
      if (plan.verdict !== 'in-sync') throw new Error(outlineOf(plan));
      expect(seen.afterRest(plan).own).toStrictEqual(known.own);
    }
  });
});

/** What is recorded after it, and who was looked at. */
const closed = async (
  own: Own | undefined,
  answer: object | undefined,
  found: Record<string, unknown> = {},
  more: { readonly seen?: string } = { seen: '' },
) => {
  const asked: object[] = [];
  const read: Reader = {
    read(op, params) {
      asked.push({ op, ...params });
      const one = 'id' in params ? found[params.id] : undefined;
      // oxlint-disable-next-line no-unsafe-type-assertion -- only allocation.read is asked
      return one === undefined ? Promise.reject(new Error('not now')) : Promise.resolve(one as never);
    },
    page: () => Promise.reject(new Error('nobody lists')),
  };
  const how = { ...more, late: false, wallMs, ...(answer && { reply: JSON.parse(JSON.stringify(answer)) }) };
  const after = await csiSnapshot.closed({ ...noStatus, ...(own && { own }) }, how, read, never);
  return { after: csiSnapshot.openIn(after), own: after.own, asked };
};

describe('a thaw', () => {
  const open: Own = { ...taken, hooks: begun };
  const thawed = { ...taken, hooks: { of, tries: 1, outcome: 'Quiesced' } };

  test('that all say is done is over, and nobody is looked at', async () => {
    expect(await closed(open, { a1: done, a2: done })).toStrictEqual({
      after: undefined,
      own: thawed,
      asked: [],
    });
  });

  test('of nothing changes nothing', async () => {
    for (const own of [undefined, taken, { hooks: { of, tries: 1 } }])
      expect(await closed(own, undefined)).toStrictEqual({ after: undefined, own, asked: [] });
  });

  test.for<{ why: string; found: unknown; left: readonly string[] | undefined }>([
    { why: 'runs is asked again', found: runs('a2'), left: ['a2'] },
    { why: 'has ended is left alone', found: runs('a2', { ClientStatus: 'complete' }), left: undefined },
    { why: 'is gone is left alone', found: null, left: undefined },
    { why: 'can not be looked at may be frozen', found: undefined, left: ['a2'] },
    {
      why: 'does not look like an allocation may be frozen',
      found: { ID: 5, ClientStatus: 'complete' },
      left: ['a2'],
    },
  ])('who does not say so and $why', async ({ found, left }) => {
    const { own, asked } = await closed(open, { a1: done }, { a2: found });
    expect(asked).toEqual([{ op: 'allocation.read', id: 'a2', namespace: 'default' }]);
    const { hooks: rest } = Object(own);
    expect(rest.quiesce?.allocations).toEqual(left);
  });

  test('of which nobody knows whether they stayed frozen proves nothing', async () => {
    const { own } = await closed(open, { a1: done, a2: done }, {}, {});
    const message = 'whether an allocation started or ended while the others were frozen could not be read';
    expect(own).toMatchObject({ hooks: { outcome: 'QuiesceDisturbed', message } });
  });

  test('without any answer looks at each', async () => {
    const { own, asked } = await closed(open, undefined, { a1: null, a2: null });
    expect(asked.map((one) => Object(one).id)).toEqual(ids);
    expect(own).toStrictEqual(thawed);
  });
});

describe('what is told', () => {
  test.for<{ hooksOwn: Partial<HooksOwn>; says: readonly string[]; unready: string | undefined }>([
    { hooksOwn: {}, says: [], unready: undefined },
    { hooksOwn: { outcome: 'Quiesced' }, says: ['Consistent True Quiesced'], unready: undefined },
    {
      hooksOwn: { outcome: 'QuiesceExpired' },
      says: ['Consistent False QuiesceExpired'],
      unready: 'QuiesceExpired',
    },
    {
      hooksOwn: { outcome: 'QuiesceFailed' },
      says: ['Consistent False QuiesceFailed'],
      unready: 'QuiesceFailed',
    },
    {
      hooksOwn: { outcome: 'QuiesceInterrupted' },
      says: ['Consistent Unknown QuiesceInterrupted'],
      unready: 'QuiesceInterrupted',
    },
    {
      hooksOwn: { unthawed: '/hooks/after: a1: no' },
      says: ['WorkloadFrozen Unknown ThawFailed /hooks/after: a1: no'],
      unready: undefined,
    },
  ])('of $hooksOwn', async ({ hooksOwn, says, unready }) => {
    const report = (await observe({ spec, memory: hooked(hooksOwn) })).seen.report();
    const stated = report.conditions
      .filter(({ type }) => type !== 'SnapshotReady')
      .map(({ type, status, reason, message }) =>
        [type, status, reason, ...(type === 'WorkloadFrozen' ? [message] : [])].join(' '),
      );
    expect(stated).toEqual(says);
    expect(report.unready?.reason).toBe(unready);
  });

  test('of one that is not listed is what it was told with', async () => {
    const { seen } = await observe({ spec, memory: memory({ of, tries: 1 }), allocations: both });
    expect(seen.report()).toEqual({ observed: {}, conditions: [] });
    const unlisted = await observe({ spec: named, memory: memory({ of, tries: 1 }), listed: 'incapable' });
    expect(unlisted.seen.report()).toEqual({ observed: {}, conditions: [] });
    expect(opened(spec).outputs(memory({ of, tries: 1 }))).toEqual({
      snapshotID: 'yet to be taken',
      pluginID: '',
    });
  });

  test('to the access rules is the job, and what is done in it', () => {
    const [connection, ...rest] = opened(spec).references;
    expect(connection?.field).toBe('/connectionRef');
    expect(rest).toMatchObject([
      { field: '/hooks/before', optional: true, use: { externalName: 'orders', action: 'Exec' } },
      { field: '/hooks/after', optional: true, use: { externalName: 'orders', action: 'Exec' } },
      { field: '/volumeRef' },
    ]);
  });
});
