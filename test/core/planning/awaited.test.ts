// What was done and does not show yet: until when that is waited for, and as what it is told. Since when is counted by what
// was done, so that the wait for one step is no wait for the next.
import { describe, expect, test } from 'vitest';
import type { Intent } from '../../../src/core/status/status.ts';
import { awaited } from '../../../src/core/planning/awaited.ts';
import { recorded, situation, toy } from '../../support/toy.ts';

const removed = toy.identity(situationLive());
function situationLive() {
  const { observed } = situation({});
  if (observed.state !== 'present') throw new Error('it is there unless a test says otherwise');
  return observed.live;
}

/** @param sinceMs when that began, by the name under which it is asked for */
function planned(
  pending: Intent,
  nowMs: number,
  sinceMs: Readonly<Record<string, number>>,
  absent = false,
  kind = toy,
) {
  const given = { memory: { ...recorded, pending }, ...(absent && { live: 'absent' as const }) };
  const since = (what: string): number => sinceMs[what] ?? -1_000_000; // long ago
  return awaited(kind, { ...situation(given), nowMs, since });
}

test('what was made: told as that, and looked at again in a second', () => {
  const made = { op: 'create', token: 't1', done: true } as const;
  expect(planned(made, 9_000, { 'done: create t1': 5_000 }, true)).toMatchObject({
    verdict: 'blocked',
    reason: 'AwaitingVisibility',
    message: 'what was made does not show yet',
    changes: [],
    wake: { on: 'time', atMs: 10_000 },
  });
  expect(planned(made, 9_000, { 'done: create t2': 5_000, 'begun: create t1': 5_000 }, true)).toBeUndefined();
});

test('what was removed: told as that, and looked at again in a second', () => {
  const gone = { op: 'delete', token: 't1', done: true, evidence: { removed } } as const;
  expect(planned(gone, 9_000, { 'done: delete t1': 5_000 })).toMatchObject({
    reason: 'AwaitingVisibility',
    message: 'that the one before was removed does not show yet',
    wake: { on: 'time', atMs: 10_000 },
  });
  expect(planned(gone, 9_000, { 'done: delete t1': 5_000 }, true)).toBeUndefined();
});

test('what was made in the place of what was removed: not told from it where both have the same identity', () => {
  const made = { op: 'create', token: 't1', done: true, evidence: { removed } } as const;
  const since = { 'done: create t1': 5_000, 'done: replace t1': 5_000 };
  const repeating = { ...toy, identityRepeats: true } as const;
  expect(planned(made, 9_000, since)).toMatchObject({ reason: 'AwaitingVisibility' });
  expect(planned(made, 9_000, since, false, repeating)).toBeUndefined();
  // Nothing was made yet, so it is the one before.
  const replaced = { ...made, op: 'replace' } as const;
  expect(planned(replaced, 9_000, since, false, repeating)).toMatchObject({ reason: 'AwaitingVisibility' });
});

const told = (op: string, isSeen: boolean, { nowMs = 9_000, done = true, absent = false } = {}) => {
  const pending = { op, token: 't1', ...(done && { done }) } as const;
  const at = situation({ memory: { ...recorded, pending }, ...(absent && { live: 'absent' as const }) });
  const observed = { ...at.observed, ...(isSeen && { retired: situationLive() }) };
  const plan = awaited(toy, { ...at, observed, nowMs, since: () => 5_000 });
  return plan?.verdict === 'blocked' ? [plan.reason, plan.message, plan.wake] : plan;
};

describe('what is registered to be destroyed, beside what stands', () => {
  const wake = { on: 'time', atMs: 10_000 };

  test.for(['retire', 'retire-previous'])('a %s is not repeated before it can show', (op) => {
    const message = 'what was registered to be destroyed does not show yet';
    for (const absent of [true, false])
      expect(told(op, false, { absent })).toEqual(['AwaitingVisibility', message, wake]);
    expect(told(op, true)).toBeUndefined();
    expect(told(op, false, { done: false })).toBeUndefined();
    expect(told(op, false, { nowMs: 35_001 })).toBeUndefined();
  });

  test.for(['destroy', 'destroy-previous', 'keep', 'keep-previous'])(
    'after a %s it may be seen for a while',
    (op) => {
      const message = 'that the one to be destroyed was removed does not show yet';
      for (const absent of [true, false])
        expect(told(op, true, { absent })).toEqual(['AwaitingVisibility', message, wake]);
      expect(told(op, false)).toBeUndefined();
      expect(told(op, true, { done: false })).toBeUndefined();
    },
  );
});

test('nothing is waited for where it is not known what is there: that is told first', () => {
  const lost = { op: 'delete', token: 't1' } as const;
  const begun = { nowMs: 6_000, since: () => 5_000 };
  const unknown = { ...situation({ memory: { ...recorded, pending: lost } }), ...begun };
  expect(awaited(toy, unknown)).toMatchObject({ reason: 'RemovalInProgress' });
  const observed = { state: 'unknown', reason: 'Timeout', message: '' } as const;
  expect(awaited(toy, { ...unknown, observed })).toBeUndefined();
});

test.for(['replace', 'delete'])(
  'a %s whose answer was lost: looked at again when it can’t arrive any more',
  (op) => {
    const begun = { [`begun: ${op} t1`]: 5_000 };
    const lost = { op, token: 't1', evidence: { removed } };
    expect(planned(lost, 7_999, begun)).toMatchObject({
      reason: 'RemovalInProgress',
      message: 'a removal whose answer was lost may still be under way',
      wake: { on: 'time', atMs: 8_000 },
    });
    expect(planned(lost, 8_000, begun)).toBeUndefined();
    expect(planned({ op, token: 't1', done: true }, 7_999, { [`done: ${op} t1`]: 5_000 })).toBeUndefined();
  },
);

test.for(['update', 'revive', 'retire', 'rotate'])('a %s is waited for by nobody', (op) => {
  const begun = { [`begun: ${op} t1`]: 5_000 };
  expect(planned({ op, token: 't1', evidence: { removed } }, 6_000, begun)).toBeUndefined();
  expect(planned({ op, token: 't1' }, 6_000, begun, true)).toBeUndefined();
});

test('where nothing is under way, nothing is waited for', () => {
  expect(awaited(toy, { ...situation({}), nowMs: 0 })).toBeUndefined();
});
