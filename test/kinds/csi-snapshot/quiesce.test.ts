// What hooks ask for before a snapshot is taken: who is frozen, when, and how often.
import { describe, expect, test } from 'vitest';
import { shortHash } from '../../../src/core/hash.ts';
import type { Resolution } from '../../../src/core/resource.ts';
import { plan as planOf } from '../../../src/kinds/csi-snapshot/plan.ts';
import { mayFreeze, open } from '../../../src/kinds/csi-snapshot/quiesce.ts';
import { outlineOf } from '../outline.ts';
import {
  after,
  begun,
  continuing,
  failedOnce,
  fresh,
  hooks,
  ids,
  of,
  quiesce,
  spec,
  wallMs,
} from './frozen.ts';
import {
  declared,
  firstStep,
  outline,
  planned,
  ready,
  recorded,
  situation,
  unanswered,
  type Given,
} from './situation.ts';

const freezing = 'act by allocations.call then create then act';
const denied: Resolution = { state: 'denied', message: 'no Exec' };

interface Around {
  readonly related?: readonly string[];
  readonly atMs?: number;
}
const at = (given: Given, { related = ids, atMs = wallMs }: Around = {}): Given => ({
  ...given,
  related: { allocations: related },
  wallMs: atMs,
});

describe('before it is taken', () => {
  test.for<{ why: string; given: Given; around?: Around; is: string }>([
    { why: 'it is frozen first', given: fresh, is: freezing },
    { why: 'unless it has no hooks', given: { ...fresh, spec: declared }, is: 'create by snapshot.create' },
    { why: 'then it is taken', given: after(begun), is: 'create by snapshot.create' },
    {
      why: 'not once the deadline has passed',
      given: after(begun),
      around: { atMs: quiesce.untilMs },
      is: 'blocked QuiesceFailed until time',
    },
    {
      why: 'not where one of them did not freeze',
      given: after({ ...begun, quiesce: { ...quiesce, frozen: false } }),
      is: 'blocked QuiesceFailed until time',
    },
    {
      why: 'unless that may be',
      given: after(
        { ...begun, of: shortHash(continuing.hooks!), quiesce: { ...quiesce, frozen: false } },
        { spec: continuing },
      ),
      is: 'create by snapshot.create',
    },
    {
      why: 'one that failed is tried again after a while',
      given: after(failedOnce, { sinceMs: 99_000 }),
      is: 'blocked QuiesceFailed until time',
    },
    { why: 'and then', given: after(failedOnce), is: freezing },
    { why: 'three times', given: after({ ...failedOnce, tries: 3 }), is: 'stalled QuiesceFailed until edit' },
    {
      why: 'other hooks are tried anew',
      given: after({ ...failedOnce, of: 'x', tries: 3 }),
      is: freezing,
    },
    { why: 'nobody runs', given: fresh, around: { related: [] }, is: 'stalled QuiesceFailed until live' },
    {
      why: 'too many run',
      given: fresh,
      around: { related: Array.from({ length: 33 }, (_, n) => `a${n}`) },
      is: 'stalled QuiesceFailed until live',
    },
    {
      why: 'nobody runs, and that may be',
      given: { ...fresh, spec: continuing },
      around: { related: [] },
      is: 'create by snapshot.create',
    },
    {
      why: 'the connection does not allow to freeze',
      given: { ...fresh, resolved: { '/volumeRef': ready(), '/hooks/before': denied } },
      is: 'stalled AccessDenied until object',
    },
    {
      why: 'the connection does not allow to thaw',
      given: { ...fresh, resolved: { '/volumeRef': ready(), '/hooks/after': denied } },
      is: 'stalled AccessDenied until object',
    },
    {
      why: 'the connection is not well',
      given: {
        ...fresh,
        resolved: { '/volumeRef': ready(), '/hooks/after': { state: 'waiting', message: 'x' } },
      },
      is: 'blocked DependencyNotReady until object',
    },
    {
      why: 'nothing is frozen while suspended',
      given: { ...fresh, policy: { suspend: true } },
      is: 'blocked Suspended until edit',
    },
    {
      why: 'nothing is frozen for an observer',
      given: { ...fresh, policy: { management: 'ObserveOnly' } },
      is: 'blocked ExternalNotFound until live',
    },
    {
      why: 'what may have been taken is asked for as it was, and nothing is frozen again',
      given: { ...fresh, memory: unanswered },
      is: 'create by snapshot.create',
    },
    { why: 'what stands is not frozen for', given: { spec, memory: recorded }, is: 'in-sync' },
  ])('$why: $is', ({ given, around, is }) => {
    expect(outline(at(given, around))).toBe(is);
  });
});

const hung = { ...begun, quiesce: { ...quiesce, frozen: false } };
const wellButFor = (field: string, state: 'denied' | 'waiting'): Given => ({
  ...fresh,
  resolved: { '/volumeRef': ready(), [field]: { state, message: 'no' } },
});
const many = (length: number): Around => ({ related: Array.from({ length }, (_, n) => `a${n}`) });

test.for<{ why: string; given: Given; around?: Around; message: string; wake?: object }>([
  {
    why: 'why it failed, and waits longer each time',
    given: after(failedOnce, { sinceMs: 99_000 }),
    message: 'it did not',
    wake: { on: 'time', atMs: 104_000 },
  },
  {
    why: 'why it failed the second time',
    given: after({ ...failedOnce, tries: 2 }, { sinceMs: 99_000 }),
    message: 'it did not',
    wake: { on: 'time', atMs: 109_000 },
  },
  {
    why: 'that no snapshot was taken, where nothing failed',
    given: after({ of, tries: 1 }, { sinceMs: 99_000 }),
    message: 'the freeze was interrupted, so no snapshot was taken',
  },
  {
    why: 'so at once where the thaw comes first',
    given: after(hung),
    message: 'the freeze was interrupted, so no snapshot was taken',
    wake: { on: 'time', atMs: 100_000 },
  },
  {
    why: 'how often it was tried',
    given: after({ ...failedOnce, tries: 3 }),
    message: 'it did not (tried 3 times)',
  },
  {
    why: 'whom nobody may freeze',
    given: wellButFor('/hooks/before', 'denied'),
    message: '/hooks/before: no',
  },
  { why: 'what it waits for', given: wellButFor('/hooks/after', 'waiting'), message: '/hooks/after: no' },
  {
    why: 'that nobody runs',
    given: fresh,
    around: many(0),
    message: '/hooks/selector: no allocation of job orders run',
  },
  {
    why: 'that too many run',
    given: fresh,
    around: many(33),
    message: '/hooks/selector: more than 32 allocations of job orders run',
  },
])('it says $why', ({ given, around, message, wake }) => {
  expect(planned(at(given, around))).toMatchObject({ verdict: 'blocked', message, ...(wake && { wake }) });
});

test('nobody is frozen whom nobody looked for', () => {
  expect(outline(fresh)).toBe('stalled QuiesceFailed until live');
});

test('how many may run is 32, and where it may go without, more are not frozen', () => {
  expect(outline(at(fresh, many(32)))).toBe(freezing);
  expect(outline(at({ ...fresh, spec: continuing }, many(33)))).toBe('create by snapshot.create');
});

test('a failure is waited for from its own time, up to its very moment', () => {
  const asked: string[] = [];
  const due = { ...situation(at(after(failedOnce, { sinceMs: 95_000 }))) };
  expect(outlineOf(planOf({ ...due, since: (what) => (asked.push(what), 95_000) }))).toBe(freezing);
  expect(asked).toEqual(['quiesce 1']);
});

test('what is recorded before anybody is asked says all that the thaw needs', () => {
  const plan = planned(at(fresh));
  if (plan.verdict !== 'change') throw new Error('nothing is frozen');
  const [step, ...later] = plan.steps;
  expect(step).toMatchObject({
    noted: { hooks: { of, tries: 1, quiesce: { ...quiesce, frozen: false, unsure: true } } },
    summary: 'freeze 2 allocations of job orders',
    changes: [],
    intent: { op: 'quiesce', token: 'freeze 2 allocations of job orders (1)' },
    opens: ['volume b1 default orders', 'job b1 default orders', 'allocation a1', 'allocation a2'],
    effect: {
      port: 'allocations',
      op: 'allocations.call',
      urgent: 'freeze',
      withinMs: 30_000,
      calls: [
        { params: { id: 'a1', namespace: 'default' }, command: ['freeze'], deadlineMs: 5_000 },
        { params: { id: 'a2' } },
      ],
    },
  });
  expect(later).toEqual([
    { verb: 'create', summary: 'take a snapshot of orders', changes: [] },
    { verb: 'act', summary: 'thaw 2 allocations of job orders', changes: [] },
  ]);
});

test('another try has another number, so that it is another intent', () => {
  expect(firstStep(at(after(failedOnce), { related: ['a1'] }))).toMatchObject({
    noted: { hooks: { of, tries: 2, quiesce: { allocations: ['a1'] } } },
    intent: { token: 'freeze 1 allocation of job orders (2)' },
  });
});

test('a freeze is not asked for longer than it may last, whatever its command may take', () => {
  const slow = { ...hooks, before: { exec: { task: 'db', command: ['freeze'], timeout: '10m' } } };
  const [deadline, untilMs] = [{ deadlineMs: 30_000 }, quiesce.untilMs];
  for (const before of [slow.before, { exec: { task: 'db', command: ['freeze'] } }])
    expect(firstStep(at({ ...fresh, spec: { ...spec, hooks: { ...slow, before } } }))).toMatchObject({
      effect: { calls: [deadline, deadline] },
      noted: { hooks: { quiesce: { untilMs } } },
    });
});

test('the thaw is the recorded one, on the recorded allocations, whatever the spec says by now', () => {
  expect(open({ own: { hooks: begun } })).toMatchObject({
    connection: { name: 'production' },
    backend: 'b1',
    untilMs: quiesce.untilMs,
    effect: {
      urgent: 'thaw',
      calls: [{ params: { id: 'a1' }, command: ['thaw'], deadlineMs: 60_000 }, { params: { id: 'a2' } }],
    },
    unanswered: { reason: 'ThawPending', message: '2 allocations of job orders are not thawed yet: a1' },
  });
  const again = { ...begun, quiesce: { ...quiesce, allocations: ['a1'], thawedMs: wallMs } };
  expect(open({ own: { hooks: begun } })).not.toHaveProperty('againMs');
  expect(open({ own: { hooks: again } })).toMatchObject({
    connection: { kind: 'SchedulerConnection', namespace: '', name: 'production' },
    names: ['volume b1 default orders', 'job b1 default orders', 'allocation a1'],
    summary: 'thaw 1 allocation of job orders',
    unanswered: {
      reason: 'ThawPending',
      message: '1 allocation of job orders is to be thawed once more: a1',
    },
  });
  expect(open({ own: { hooks: failedOnce } })).toBeUndefined();
  expect(open({ own: recorded.own! })).toBeUndefined();
  expect(open({})).toBeUndefined();
});

const asks = (given: Given): boolean => mayFreeze(situation(given));

test('who writes is read only when somebody is about to be frozen', () => {
  expect([fresh, after(failedOnce)].map(asks)).toEqual([true, true]);
  const others: readonly Given[] = [
    after(begun),
    { ...fresh, spec: declared },
    { ...fresh, deleting: true },
    { ...fresh, policy: { management: 'ObserveOnly' } },
    { ...fresh, memory: unanswered },
  ];
  expect(others.map(asks)).toEqual(others.map(() => false));
});
