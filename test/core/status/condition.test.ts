import type { Condition } from '../../../src/core/status/status.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  conditionOf,
  isBecause,
  isTrue,
  mergeConditions,
  notReady,
  type Stated,
} from '../../../src/core/status/condition.ts';
import type { ConditionType, Reason } from '../../../src/core/status/reasons.ts';

const then = '2026-01-01T00:00:00.000Z';
const now = '2026-01-02T00:00:00.000Z';
const ready = (status: Condition['status'], message = ''): Stated => ({
  type: 'Ready',
  status,
  reason: 'InSync',
  message,
});
const before = mergeConditions([], [ready('True'), { ...ready('False'), type: 'Stalled' }], 1, then);

test('a first statement is dated now', () => {
  expect(before).toEqual([
    { ...ready('True'), observedGeneration: 1, lastTransitionTime: then },
    { ...ready('False'), type: 'Stalled', observedGeneration: 1, lastTransitionTime: then },
  ]);
});

test('a date moves with the status alone: reason, message and generation are news of the same state', () => {
  const [same] = mergeConditions(before, [{ ...ready('True', 'new'), reason: 'Drifted' }], 2, now);
  expect(same).toMatchObject({
    reason: 'Drifted',
    message: 'new',
    observedGeneration: 2,
    lastTransitionTime: then,
  });
  const [other] = mergeConditions(before, [ready('Unknown')], 2, now);
  expect(other).toMatchObject({ status: 'Unknown', lastTransitionTime: now });
});

test('one that still holds keeps the generation that it was stated for', () => {
  expect(mergeConditions(before, before, 2, now)).toEqual(before);
});

test('a condition is asked for its reason, and one that there is not has none', () => {
  expect(isBecause(before[0], 'InSync')).toBe(true);
  expect(isBecause(before[0], 'Drifted')).toBe(false);
  expect(isBecause(undefined, 'InSync')).toBe(false);
});

test('what no longer applies does not linger', () => {
  expect(mergeConditions(before, [ready('True')], 1, now).map((c) => c.type)).toEqual(['Ready']);
});

test('a message is bounded: some of it comes from services', () => {
  const [long] = mergeConditions([], [ready('True', 'x'.repeat(5_000))], 1, now);
  expect(long?.message).toBe('x'.repeat(1_024));
});

test('asking for a type that is not stated is no error and never true', () => {
  expect(conditionOf(before, 'Ready')?.status).toBe('True');
  expect(conditionOf(before, 'Synced')).toBeUndefined();
  expect([isTrue(before, 'Ready'), isTrue(before, 'Stalled'), isTrue(before, 'Synced')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('what makes an object useless takes its Ready away and nothing else: it is dated then, and says why', () => {
  const why = { reason: 'NotPublished', message: 'not written yet' } as const;
  const other = mergeConditions([], [{ ...ready('True'), type: 'Synced' }], 1, then);
  expect(notReady([...before, ...other], why, now)).toEqual([
    { ...ready('False'), ...why, observedGeneration: 1, lastTransitionTime: now },
    ...before.slice(1),
    ...other,
  ]);
});

test('one that was not ready anyway keeps its own reason and date', () => {
  for (const status of ['False', 'Unknown'] as const) {
    const already = mergeConditions([], [ready(status, 'no answer')], 1, then);
    expect(notReady(already, { reason: 'NotPublished', message: 'not written yet' }, now)).toEqual(already);
  }
});

test('stating the same again changes nothing', () => {
  const status = fc.constantFrom<Condition['status']>('True', 'False', 'Unknown');
  const type = fc.constantFrom<ConditionType>('Ready', 'Synced', 'Stalled', 'Abnormal');
  const reason = fc.constantFrom<Reason>('InSync', 'Suspended', 'Timeout');
  const stated = fc.record({ type, status, reason, message: fc.string() });
  const list = fc.uniqueArray(stated, { selector: (s) => s.type });
  fc.assert(
    fc.property(list, fc.nat(), (all, generation) => {
      const once = mergeConditions([], all, generation, then);
      expect(mergeConditions(once, all, generation, now)).toEqual(once);
    }),
  );
});
