// What an object does by the clock goes on while an edit of it is refused: a password is due whatever else is wrong.
import { expect, test } from 'vitest';
import { managed } from '../../../src/core/planning/planner.ts';
import { blocked, type InSync, type Plan } from '../../../src/core/planning/plan.ts';
import { given, situation, toy } from '../../support/toy.ts';

const nowMs = 1_000;
/** The plan of one whose edit is refused, and which has this to do besides. */
const refused = (besides: (rest: InSync) => Plan<string>): Plan<string> =>
  managed({ ...toy, act: (_, __, ___, rest) => besides(rest) })({
    ...situation(given('ownerEdited')),
    nowMs,
  });

test.for<{ why: string; besides: (rest: InSync) => Plan<string>; dueMs: number }>([
  { why: 'it is due then', besides: (rest) => ({ ...rest, dueMs: 5_000 }), dueMs: 5_000 },
  { why: 'it looks again then', besides: (rest) => ({ ...rest, revisitMs: 7_000 }), dueMs: 7_000 },
  {
    why: 'it is due before it looks again',
    besides: (rest) => ({ ...rest, dueMs: 5_000, revisitMs: 7_000 }),
    dueMs: 5_000,
  },
  {
    why: 'it waits for a time',
    besides: () => blocked('RotationInProgress', 'not yet', { on: 'time', atMs: nowMs + 3_000 }),
    dueMs: 3_000,
  },
])('a refused edit does not make it forget when to look again: $why', ({ besides, dueMs }) => {
  expect(refused(besides)).toMatchObject({ verdict: 'blocked', reason: 'ImmutableFieldChanged', dueMs });
});

test('what is written is looked at again right after it, so nothing else need be due', () => {
  const due = managed({ ...toy, act: (_, __, ___, rest) => ({ ...rest, dueMs: 5_000 }) });
  const plan = due(situation(given('sizeEdited')));
  expect(plan.verdict).toBe('change');
  expect(plan).not.toHaveProperty('dueMs');
});

test('where nothing is due, only an edit helps', () => {
  const nothing = refused((rest) => rest);
  expect(nothing).toMatchObject({ verdict: 'blocked', reason: 'ImmutableFieldChanged' });
  expect(nothing).not.toHaveProperty('dueMs');
  expect(refused(() => blocked('RotationInProgress', 'not yet', { on: 'live' }))).not.toHaveProperty('dueMs');
});
