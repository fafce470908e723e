// Who may have written although all were frozen: who was restarted, ended, or came. The scheduler tells, and nobody had asked.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { disturbanceIn, restartsOf } from '../../../src/kinds/csi-snapshot/disturbance.ts';
import type { Allocation } from '../../../src/schema/scheduler/allocations.ts';
import { afterThaw } from '../../../src/kinds/csi-snapshot/quiesce.ts';
import type { HooksOwn } from '../../../src/kinds/csi-snapshot/own.ts';
import { begun, quiesce, wallMs } from './frozen.ts';
import { own as taken } from './situation.ts';

const runs = (ID: string, more: Partial<Allocation> = {}): Allocation => ({
  ID,
  JobID: 'orders',
  TaskGroup: 'db',
  ClientStatus: 'running',
  DesiredStatus: 'run',
  TaskStates: { db: { State: 'running', Restarts: 1, LastRestart: null } },
  ...more,
});
const frozen = ['a1', 'a2'].map((id) => runs(id));
const restarts = Object.fromEntries(frozen.map((one) => [one.ID, restartsOf(one)]));
const stopping = { DesiredStatus: 'stop' };
const restarted = { TaskStates: { db: { State: 'running', Restarts: 2, LastRestart: null } } };
const starting = { ClientStatus: 'pending', TaskStates: { db: { State: 'pending' } } };

test.for<readonly [why: string, listed: readonly Allocation[], says: string]>([
  ['all run on as they did', frozen, ''],
  ['one is told to stop, and runs', [runs('a1'), runs('a2', stopping)], ''],
  [
    'one was restarted',
    [runs('a1'), runs('a2', restarted)],
    'allocation a2 was restarted while it was frozen',
  ],
  [
    'one has ended',
    [runs('a1', { ClientStatus: 'complete' }), runs('a2')],
    'allocation a1 ended while it was frozen',
  ],
  ['one is no more listed', [runs('a1')], 'allocation a2 ended while it was frozen'],
  ['another came', [...frozen, runs('a3')], 'allocation a3 started while the others were frozen'],
  [
    'another came, and is told to stop already',
    [...frozen, runs('a3', stopping)],
    'allocation a3 started while the others were frozen',
  ],
  ['another is placed, and no task of it runs', [...frozen, runs('a3', starting)], ''],
  ['another ended', [...frozen, runs('a3', { ClientStatus: 'complete' })], ''],
  ['one of another job came', [...frozen, runs('a3', { JobID: 'web' })], ''],
  ['one of another namespace came', [...frozen, runs('a3', { Namespace: 'other' })], ''],
])('$0: "$2"', ([, listed, says]) => {
  expect(disturbanceIn({ ...quiesce, restarts }, listed)).toBe(says);
});

test('only those of the group count that was frozen', () => {
  const listed = [...frozen, runs('a3', { TaskGroup: 'web' })];
  expect(disturbanceIn({ ...quiesce, restarts, group: 'db' }, listed)).toBe('');
  expect(disturbanceIn({ ...quiesce, restarts }, listed)).toContain('a3');
});

test('of a freeze that an earlier version recorded, nothing can be said', () => {
  expect(disturbanceIn(quiesce, [])).toBe('');
});

const came = 'allocation a3 started while the others were frozen';
test.for<{ why: string; hooks?: HooksOwn; late?: boolean; outcome: string; message?: string }>([
  { why: 'is said of a snapshot that was taken', outcome: 'QuiesceDisturbed', message: came },
  { why: 'is not said of one that came too late', late: true, outcome: 'QuiesceExpired' },
  {
    why: 'does not change what was said once',
    hooks: { ...begun, outcome: 'QuiesceDisturbed', message: 'a4 came' },
    outcome: 'QuiesceDisturbed',
    message: 'a4 came',
  },
])('it $why: $outcome', ({ hooks = begun, late = false, outcome, message }) => {
  const done = { is: 'done', exitCode: 0 };
  const how = { late, wallMs, disturbance: came, reply: { a1: done, a2: done }, isGone: () => false };
  const found = afterThaw({ ...noStatus, own: { ...taken, hooks } }, hooks, how);
  expect({ outcome: found.outcome, message: found.message }).toEqual({ outcome, message });
});
