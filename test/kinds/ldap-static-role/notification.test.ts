// Telling consumers of a new password, step by step: who is left out keeps a password that is dead, who is told twice
// restarts for nothing.
import { describe, expect, test } from 'vitest';
import { toTell, type Job, type AllocationState } from '../../../src/kinds/ldap-static-role/consumers.ts';
import { firstStep, instant, planned, recorded, type Given } from './situation.ts';
import { restarted, signalled, startMs } from './surroundings.ts';
import { after, api, keyOf, runs, stopped, notification, told, web } from './notifications.ts';
import type { ConsumerProgress } from '../../../src/kinds/ldap-static-role/own.ts';

const waits = (message: string, ms: number) => ({
  verdict: 'blocked',
  reason: 'NotificationInProgress',
  message,
  wake: { on: 'time', atMs: startMs + ms },
});

describe('whose turn it is', () => {
  test('has its allocations listed first, and those are kept', () => {
    expect(planned(notification({}))).toMatchObject(waits('/consumers/0: job web (0 steps made)', 2_000));
    const listed = notification({ tries: 3 }, { answers: { listed: ['a1', 'a2'] } });
    expect(firstStep(listed).summary).toBe('tell 2 allocations of job web');
    expect(firstStep(listed)).toMatchObject({ verb: 'act', changes: [] });
    expect(firstStep(listed).effect).toBeUndefined();
    expect(firstStep(listed).own).toMatchObject({ notification: { instant, steps: 1 } });
    expect(after(listed)).toEqual({ left: ['a1', 'a2'], under: {}, succeeded: 3 });
  });

  test('is waited for while nothing could be found out of it', () => {
    const asked = notification({ told: told({ left: ['a1'], under: { a2: '0 ' } }), steps: 3 });
    expect(planned(asked)).toMatchObject(
      waits('/consumers/0: 2 allocations of job web left (3 steps made)', 2_000),
    );
  });

  test('gives way now and then, so that how far it is gets written, and goes on once it was', () => {
    const eight = notification(
      { told: told({ left: ['a1'] }), steps: 8 },
      { answers: { allocations: { a1: runs } } },
    );
    const message = '/consumers/0: 1 allocation of job web left (8 steps made)';
    expect(planned(eight)).toMatchObject(waits(message, 0));
    const { memory = recorded } = eight;
    const shown = (text: string): Given => ({
      ...eight,
      memory: {
        ...memory,
        conditions: [
          {
            type: 'Reconciling',
            status: 'True',
            reason: 'NotificationInProgress',
            message: text,
            observedGeneration: 1,
            lastTransitionTime: instant,
          },
        ],
      },
    });
    expect(planned(shown('what was before'))).toMatchObject(waits(message, 0));
    expect(firstStep(shown(message)).verb).toBe('act');
    const seven = notification(
      { told: told({ left: ['a1'] }), steps: 7 },
      { answers: { allocations: { a1: runs } } },
    );
    expect(firstStep(seven).verb).toBe('act');
  });
});

const calls = (consumer: { readonly job: Job }): Given =>
  notification(
    { consumer, told: told({ left: ['a1', 'a2'], succeeded: 4 }) },
    { answers: { allocations: { a1: runs } } },
  );

describe('the call', () => {
  test('is noted with what was seen before it, goes through the job’s connection, and is counted', () => {
    const step = firstStep(calls(web));
    expect(step).toMatchObject({
      verb: 'act',
      changes: [],
      via: '/consumers/0/job/connectionRef',
      attempt: `consumer ${keyOf(web)}`,
      intent: {
        op: 'consume',
        token: `${instant} a1`,
        evidence: {
          instant,
          consumer: keyOf(web),
          allocation: 'a1',
          event: '10',
          restarts: '0 ',
        },
      },
    });
    expect(after(calls(web))).toEqual({ left: ['a2'], under: {}, succeeded: 5 });
    expect(after(calls(api), api)).toEqual({ left: ['a2'], under: { a1: '0 ' }, succeeded: 5 });
  });

  test.for<{ job: object; action: 'Signal' | 'Restart'; summary: string; effect: object }>([
    {
      job: {},
      action: 'Signal',
      summary: 'send SIGHUP to a1 of job web',
      effect: {
        op: 'allocation.signal',
        params: { id: 'a1', namespace: 'prod' },
        body: { Signal: 'SIGHUP' },
      },
    },
    {
      job: { signal: 'SIGUSR1', task: 'server', namespace: 'own' },
      action: 'Signal',
      summary: 'send SIGUSR1 to a1 of job web',
      effect: {
        op: 'allocation.signal',
        params: { id: 'a1', namespace: 'own' },
        body: { Signal: 'SIGUSR1', Task: 'server' },
      },
    },
    {
      job: {},
      action: 'Restart',
      summary: 'restart a1 of job web',
      effect: { op: 'allocation.restart', params: { id: 'a1', namespace: 'prod' }, body: {} },
    },
    {
      job: { task: 'server' },
      action: 'Restart',
      summary: 'restart a1 of job web',
      effect: { op: 'allocation.restart', body: { Task: 'server' } },
    },
  ])('$summary, $job', ({ job, action, summary, effect }) => {
    const consumer = action === 'Signal' ? signalled('web', job) : restarted('web', job);
    const step = firstStep(calls(consumer));
    expect([step.summary, step.effect]).toMatchObject([summary, { port: 'scheduler', ...effect }]);
    expect(step.disturbs).toEqual(['allocation a1']); // so it waits while a snapshot has that frozen
    expect(Object.keys(step.effect && 'body' in step.effect ? step.effect.body : {})).toEqual(
      Object.keys('body' in effect ? (effect.body ?? {}) : {}),
    );
  });

  test.for([
    { why: 'is gone', seen: {} },
    { why: 'runs no more', seen: { a1: stopped } },
  ])('is not made to one that $why', ({ seen }) => {
    const given = notification({ told: told({ left: ['a1', 'a2'] }) }, { answers: { allocations: seen } });
    const step = firstStep(given);
    expect([step.summary, step.effect]).toEqual(['a1 of job web runs no more', undefined]);
    expect(after(given)).toEqual(told({ left: ['a2'] }));
  });
});

const under = (seen: Readonly<Record<string, AllocationState>>): Given =>
  notification({ consumer: api, told: told({ under: { a1: '0 ' } }) }, { answers: { allocations: seen } });

describe('one that was restarted', () => {
  test.for<{ why: string; seen: AllocationState }>([
    { why: 'is as it was before', seen: runs },
    { why: 'has no task that runs', seen: { ...runs, restarts: '1 ', tasksRun: false } },
    { why: 'has a task that starts again', seen: { ...runs, restarts: '1 ', tasksRun: false } },
    { why: 'is not said to run', seen: { ...runs, restarts: '1 ', running: false } },
  ])('is waited for while it $why', ({ seen }) => {
    expect(planned(under({ a1: seen }))).toMatchObject(
      waits('/consumers/0: 1 allocation of job web left (0 steps made)', 2_000),
    );
  });

  test.for<{ why: string; seen: Readonly<Record<string, AllocationState>> }>([
    { why: 'it runs again', seen: { a1: { ...runs, restarts: '1 ' } } },
    { why: 'it ended', seen: { a1: stopped } },
    { why: 'it is gone', seen: {} },
  ])('makes room for the next: $why', ({ seen }) => {
    expect(firstStep(under(seen)).summary).toBe('job web: 1 allocation running again');
    expect(after(under(seen), api)).toEqual(told());
  });

  test('makes room by itself: others are waited for', () => {
    const given = notification(
      { consumer: { job: { ...api.job, maxParallel: 2 } }, told: told({ under: { a1: '0 ', a2: '0 ' } }) },
      { answers: { allocations: { a1: { ...runs, restarts: '1 ' }, a2: runs } } },
    );
    expect(after(given, { job: { ...api.job, maxParallel: 2 } })).toEqual(told({ under: { a2: '0 ' } }));
  });
});

describe('a call whose answer was lost', () => {
  const open = { allocation: 'a1', event: '10', restarts: '0 ' };
  const lost = (
    seen: AllocationState | undefined,
    nowMs = startMs,
    consumer: { readonly job: Job } = web,
  ): Given =>
    notification(
      { consumer, told: told({ left: ['a1', 'a2'], open }) },
      { answers: { allocations: seen ? { a1: seen } : {} }, nowMs },
    );

  test('was made where its event shows', () => {
    const shown = { ...runs, event: '11' };
    expect(firstStep(lost(shown)).summary).toBe('a1 of job web was told');
    expect(after(lost(shown))).toEqual(told({ left: ['a2'] }));
    // A restart is then waited for by what was counted before it.
    expect(after(lost(shown, startMs, api), api)).toEqual(told({ left: ['a2'], under: { a1: '0 ' } }));
  });

  test('matters no more where nothing runs', () => {
    for (const seen of [undefined, stopped]) {
      expect(firstStep(lost(seen)).summary).toBe('a1 of job web runs no more');
      expect(after(lost(seen))).toEqual(told({ left: ['a2'] }));
    }
  });

  test('to one that does not run any more, and may again, is made again after the others', () => {
    const away = { ...runs, running: false, tasksRun: false };
    expect(planned(lost(away, startMs + 4_999))).toMatchObject({
      wake: { on: 'time', atMs: startMs + 5_000 },
    });
    expect(after(lost(away, startMs + 5_000))).toEqual(told({ left: ['a1', 'a2'], late: ['a1'] }));
  });

  test('is waited for, and then made again', () => {
    expect(planned(lost(runs, startMs + 4_999))).toMatchObject({
      wake: { on: 'time', atMs: startMs + 5_000 },
    });
    const again = firstStep(lost(runs, startMs + 5_000));
    expect(again.summary).toBe('send SIGHUP to a1 of job web');
    expect(again.intent?.op).toBe('consume');
    expect(again.intent?.evidence).toMatchObject({ allocation: 'a1', event: '10' });
  });
});

test('where not all tasks run, each that does is signalled by itself: a signal to all would be an error', () => {
  const partly: AllocationState = {
    ...runs,
    tasks: { server: '10', agent: '10' },
    runningTasks: ['server', 'agent'],
    apart: true,
  };
  const signalling = (
    progress: Partial<ConsumerProgress>,
    seen = partly,
    consumer: { readonly job: Job } = web,
  ): Given =>
    notification(
      { consumer, told: told({ left: ['a1', 'a2'], ...progress }) },
      { answers: { allocations: { a1: seen } } },
    );
  const one = firstStep(signalling({}));
  expect(one.effect).toMatchObject({ body: { Signal: 'SIGHUP', Task: 'server' } });
  expect(one.intent?.evidence).toMatchObject({ allocation: 'a1', task: 'server' });
  const first = told({ left: ['a1', 'a2'], signalled: ['server'] });
  expect(after(signalling({}))).toEqual({ ...first, succeeded: 1 });
  const two = signalling({ signalled: ['server'] });
  expect(firstStep(two).effect).toMatchObject({ body: { Task: 'agent' } });
  expect(after(two)).toEqual(told({ left: ['a2'], succeeded: 1 }));
  // The answer of the first was lost.
  const open = { allocation: 'a1', task: 'server', event: '10', restarts: '0 ' };
  expect(after(signalling({ open }, { ...partly, tasks: { server: '11', agent: '10' } }))).toEqual(first);
  // One of them ended before its turn.
  const left = signalling({ signalled: ['server'] }, { ...partly, runningTasks: ['server'] });
  expect([firstStep(left).effect, after(left)]).toEqual([undefined, told({ left: ['a2'] })]);
  // A restart leaves out by itself what does not run.
  const restarting = signalling({}, partly, api);
  expect(firstStep(restarting).effect).toMatchObject({ body: {} });
  expect(after(restarting, api)).toEqual(told({ left: ['a2'], under: { a1: '0 ' }, succeeded: 1 }));
});

test('those of a job are told that may have the old password, of its group where it names one', () => {
  const one = { ID: 'a1', JobID: 'web', TaskGroup: 'front', DesiredStatus: 'run', ClientStatus: 'running' };
  const listed = [
    one,
    { ...one, ID: 'a2', TaskGroup: 'back' },
    { ...one, ID: 'a3', JobID: 'api' },
    { ...one, ID: 'a4', ClientStatus: 'pending' },
    { ...one, ID: 'a5', DesiredStatus: 'stop' },
    { ...one, ID: 'a6', ClientStatus: 'unknown' },
    { ...one, ID: 'a7', ClientStatus: 'unknown', DesiredStatus: 'stop' },
    { ...one, ID: 'a8', ClientStatus: 'pending', DesiredStatus: 'stop' },
    { ...one, ID: 'a9', ClientStatus: 'failed' },
  ];
  expect(toTell(web.job, listed)).toEqual(['a1', 'a2', 'a4', 'a6']);
  expect(toTell({ ...web.job, group: 'back' }, listed)).toEqual(['a2']);
});
