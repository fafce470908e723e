// What the end of a visit means for others. Too little kept, and one of many that go is judged alone; too much, and the
// others wait for one that nobody looks at.
import { describe, expect, test } from 'vitest';
import {
  afterConflictMs,
  afterUnwrittenMs,
  isAnnounced,
  isCurrent,
  isUnobserved,
  isUntouched,
  lastOf,
  leftBy,
  leftUnwritten,
  untriedMs,
  waitsOf,
  type Visit,
} from '../../../src/controller/reconcile/endings.ts';
import { ApiError, SpecError } from '../../../src/core/errors.ts';
import { blocked, type Step, type Wake } from '../../../src/core/planning/plan.ts';
import type { Entry } from '../../../src/core/source/source.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { fallbackMs, type Ending } from '../../../src/core/status/outcome.ts';
import type { Reason } from '../../../src/core/status/reasons.ts';

const ended = (ending: Visit['ending']): Visit => ({
  key: 'Disk/shop/a',
  done: [],
  ending,
  status: noStatus,
  requeueMs: undefined,
});
const stopped = (reason: Reason, wake: Wake = { on: 'edit' }): Visit['ending'] => ({
  is: 'blocked',
  plan: blocked(reason, 'why', wake),
});
const parked = (early: boolean): Visit['ending'] => ({ is: 'parked', message: 'no leader', early });
const rest = { is: 'rest', plan: { verdict: 'in-sync', drift: [] } } as const;
const made: Step<unknown> = { verb: 'create', summary: 'create it', changes: [] };
const ofOtherEnds = { early: true, rereadMs: 9 };
/** With what only visits of other ends have. */
const failedOtherwise: Ending = Object.assign({ is: 'failed', error: new Error('no') } as const, ofOtherEnds);
const unread: Visit['ending'] = { ...rest, rereadMs: 9 };
const gone: Visit['ending'] = { is: 'gone', because: 'nothing is there' };
const conflict: Visit['ending'] = { is: 'conflict', reason: 'edited' };
const failed = (error: unknown): Visit['ending'] => ({ is: 'failed', error });

test.for<{ why: string; ending: Visit['ending']; announced: boolean }>([
  { why: 'it waits for the others', ending: stopped('DeletionPending'), announced: true },
  { why: 'it waits for a person or an hour', ending: stopped('DeletionLimitExceeded'), announced: true },
  { why: 'it waits to take over', ending: stopped('MoveInProgress'), announced: true },
  { why: 'it is not to go: something uses it', ending: stopped('ReplacementBlocked'), announced: false },
  { why: 'the service failed', ending: failed(new ApiError('timeout', 'Rejected', 'no')), announced: true },
  { why: 'what failed is not known', ending: failed('no error at all'), announced: true },
  { why: 'its document is wrong by now', ending: failed(new SpecError('/a', 'a', 'b')), announced: false },
  { why: 'nobody could look', ending: parked(false), announced: true },
  { why: 'it is looked at again at once', ending: conflict, announced: true },
  { why: 'it is as declared', ending: rest, announced: false },
  { why: 'it is gone', ending: gone, announced: false },
])('what is to be replaced stays announced: $announced, because $why', ({ ending, announced }) => {
  expect(isAnnounced(ended(ending))).toBe(announced);
});

test.for<{ why: string; ending: Visit['ending']; left: ReturnType<typeof leftBy> }>([
  { why: 'it was looked at', ending: rest, left: undefined },
  { why: 'it is blocked, by what was seen', ending: stopped('DeletionLimitExceeded'), left: undefined },
  { why: 'its declaration moved on: all wait for it', ending: conflict, left: { scope: undefined } },
  { why: 'its connection is about to be looked at', ending: parked(true), left: { scope: undefined } },
  {
    why: 'its connection does not work: those of others need not wait',
    ending: parked(false),
    left: { scope: 'c' },
  },
  {
    why: 'its connection was never opened: it may be about anybody’s data, through whatever connection',
    ending: { is: 'parked', message: 'no Secret', early: false, unplaced: true },
    left: { scope: undefined },
  },
])('who has to wait for what was not looked at: $why', ({ ending, left }) => {
  expect(leftBy(ended(ending), 'c')).toEqual(left);
});

test.for([
  { why: 'it is to be written again: it may be about to claim anything', kind: 'unavailable', left: 'all' },
  { why: 'it is refused for good, and claims nothing yet', kind: 'refused', left: 'Conn/c' },
  {
    why: 'it is refused, and has no connection',
    kind: 'refused',
    left: 'Disk/shop/a',
    connection: undefined,
  },
  { why: 'it is refused, and what it claims is known', kind: 'refused', left: 'nothing', claims: 'its disk' },
] as const)('deletions that wait for who could not be written: $why', ({ kind, left, ...one }) => {
  const connection = 'connection' in one ? one.connection : 'Conn/c';
  const ports = {
    owners: { declaredBy: () => ('claims' in one ? one.claims : undefined) },
    graph: { get: () => ({ uid: 'u', generation: 1, deleting: false, references: [], connection }) },
  };
  const error = new ApiError(kind, 'Rejected', 'no');
  const expected = { all: { scope: undefined }, nothing: undefined, 'Conn/c': 0, 'Disk/shop/a': 0 }[left];
  expect(leftUnwritten(error, 'Disk/shop/a', ports)).toEqual(expected === 0 ? { scope: left } : expected);
});

test.for<{ why: string; ending: Visit['ending']; waits: ReturnType<typeof waitsOf> }>([
  {
    why: 'by another',
    ending: stopped('VolumeInUse', { on: 'live', also: [{ type: 'scheduler/volume', id: 'x' }] }),
    waits: [{ type: 'scheduler/volume', id: 'x' }],
  },
  { why: 'by its own', ending: stopped('VolumeInUse', { on: 'live' }), waits: [] },
  { why: 'by none: an edit ends it', ending: stopped('VolumeInUse'), waits: [] },
  { why: 'by none: it does not wait', ending: rest, waits: [] },
  { why: 'by none: it is looked at again at once', ending: conflict, waits: [] },
])('which external objects end its wait: $why', ({ ending, waits }) => {
  expect(waitsOf(ended(ending))).toEqual(waits);
});

test('what a create needs ends its wait, too', () => {
  const needed = { type: 'scheduler/plugin', id: 'ebs' } as const;
  expect(waitsOf({ ...ended(stopped('VolumeInUse')), needed })).toEqual([needed]);
});

test.for<{ why: string; ending: Visit['ending']; done?: Visit['done']; untouched: boolean }>([
  { why: 'its connection is about to be probed', ending: parked(true), untouched: true },
  {
    why: 'its connection does not work, and who waits for it may hear of that',
    ending: parked(false),
    untouched: false,
  },
  { why: 'a list shows what was recorded', ending: unread, untouched: true },
  { why: 'it was read', ending: rest, untouched: false },
  { why: 'it failed, whatever else is said of it', ending: failedOtherwise, untouched: false },
  { why: 'it is blocked, by what was seen', ending: stopped('DeletionPending'), untouched: false },
  { why: 'something was done before', ending: unread, done: [made], untouched: false },
  {
    why: 'something was done before its connection was lost',
    ending: parked(true),
    done: [made],
    untouched: false,
  },
])('others are not woken by a visit that changes nothing for them: $untouched, because $why', (row) => {
  expect(isUntouched({ ...ended(row.ending), done: row.done ?? [] })).toBe(row.untouched);
});

test('what is as declared remembers no plan of its own: there are a hundred thousand of them', () => {
  const missing = new Map();
  const one = lastOf(ended({ ...rest, plan: { ...rest.plan, applied: { '/size': 1 } } }));
  expect(one).toEqual({ ending: rest });
  expect(lastOf(ended(unread))).toBe(one);
  expect(lastOf({ ...ended(rest), missing })).toEqual({ ending: rest, missing });
  expect(lastOf(ended(conflict))).toStrictEqual({ ending: conflict });
  expect(lastOf({ ...ended(conflict), missing })).toEqual({ ending: conflict, missing });
});

test.for<{ why: string; last: Parameters<typeof isUnobserved>[0]; unobserved: boolean }>([
  { why: 'there was no visit', last: undefined, unobserved: true },
  { why: 'its connection could not be used', last: { ending: parked(false) }, unobserved: true },
  { why: 'it was looked at', last: { ending: rest }, unobserved: false },
  { why: 'it is blocked, by what was seen', last: { ending: stopped('DeletionPending') }, unobserved: false },
])('what this process knows of an object: unobserved $unobserved, because $why', ({ last, unobserved }) => {
  expect(isUnobserved(last)).toBe(unobserved);
});

const ms = (ending: Ending, deleting = false) => untriedMs(ending, { deleting }, () => 0);

test('a visit that tried nothing says when the next one is, or that its status is to be concluded', () => {
  expect(ms({ is: 'rest', plan: rest.plan, rereadMs: 9 })).toBe(9);
  expect(ms({ is: 'rest', plan: rest.plan })).toBeUndefined();
  const waiting = { is: 'parked', message: 'not probed yet' } as const;
  expect(ms({ ...waiting, early: true })).toBe(fallbackMs(false, 0));
  expect(ms({ ...waiting, early: true }, true)).toBe(fallbackMs(true, 0));
  expect(ms({ ...waiting, early: false })).toBeUndefined();
  expect(ms(failedOtherwise)).toBeUndefined();
});

describe('a visit that lost what it wrote', () => {
  const uid = 'u1';
  const about = { key: { kind: 'Disk', namespace: 'shop', name: 'a' }, requests: {}, spec: {}, held: true };
  const entry = { object: { ...about, uid, generation: 2, deleting: false }, status: noStatus };

  test.for<[string, Entry | undefined, boolean]>([
    ['what it knew', { ...entry, status: { ...noStatus } }, true],
    ['that it is gone', undefined, false],
    ['another object', { ...entry, object: { ...entry.object, uid: 'u2' } }, false],
    ['another generation', { ...entry, object: { ...entry.object, generation: 3 } }, false],
    ['another status', { ...entry, status: { ...noStatus, identity: 'd1' } }, false],
  ])('is told by what the source shows: %s', ([, now, isBehind]) => {
    expect(isCurrent(entry, now)).toBe(isBehind);
  });

  test('goes on at once where that is newer; else only time helps, and more of it each time', () => {
    expect(afterConflictMs(false, 9, 0.5)).toBe(0);
    expect([1, 2, 3].map((failures) => afterConflictMs(true, failures, 0))).toEqual([25, 50, 100]);
    expect(afterConflictMs(true, 1, 0.5)).toBeGreaterThan(afterConflictMs(true, 1, 0)); // not all at the same moment
    expect(afterConflictMs(true, 99, 0)).toBe(5_000);
  });
});

const refused = (more: { readonly retryAfterMs?: number }): ApiError =>
  new ApiError('throttled', 'Throttled', 'too many', more);

test('what could not be written is tried again after the backoff, and not before the source wants to be asked', () => {
  const [first, ninth] = [afterUnwrittenMs(refused({}), 1, 0), afterUnwrittenMs(refused({}), 9, 0)];
  expect([first > 0, ninth > first]).toEqual([true, true]);
  expect(afterUnwrittenMs(refused({ retryAfterMs: 30_000 }), 1, 0)).toBe(30_000);
  expect(afterUnwrittenMs(refused({ retryAfterMs: 1 }), 9, 0)).toBe(ninth);
});
