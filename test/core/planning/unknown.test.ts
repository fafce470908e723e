// A service that can't tell what it has: what was written is all that is known, and what never was is not written over.
import { describe, expect, test } from 'vitest';
import { managed } from '../../../src/core/planning/planner.ts';
import type { Step } from '../../../src/core/planning/plan.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { short, type Row } from '../../support/policy-rows.ts';
import { given, recorded, situation, toy, type Given } from '../../support/toy.ts';

type Toy = Partial<typeof toy>;
const retract: Toy = {
  retract: () => ({ summary: 'take it back', effect: 'away', destroys: 'registration' }),
};
const planOf = (of: Given, more: Toy = retract) => managed({ ...toy, ...more })(situation(of));

const firstOf = (of: Given): Step<string> => {
  const plan = planOf(of);
  if (plan.verdict !== 'change') throw new Error(short(plan));
  return plan.steps[0];
};

const row = (why: string, words: Row['given'], expected: string): Row => ({
  why,
  given: ['unknown', ...words],
  expect: expected,
});
const every = '/size,/disk,/owner';

test.for<Row>([
  row('somebody else may have one', ['unrecorded', 'unheld'], 'stalled AdoptionRefused until edit'),
  row('no more is known of it', ['unrecorded', 'AdoptIfIdentical'], 'stalled AdoptionRefused until edit'),
  row('whatever is there may be taken over', ['unrecorded', 'Adopt'], `create ${every}`),
  row('its create was begun: it is ours, if it is there', ['creating'], `create ${every}`),
  row('one of ours was there, and was to go', ['deleted'], `create ${every}`),
  row('it is as it was written', [], 'in-sync'),
  row('what others did to it does not show', ['drifted', 'unknown'], 'in-sync'),
  row('an edit is written', ['sizeEdited'], 'update /size'),
  row('what is let go of is reset', ['labelWritten'], 'update /label'),
  row('what can not be changed is not', ['ownerEdited'], 'stalled ImmutableFieldChanged until edit /owner'),
  row('nor replaced unseen', ['diskEdited', 'WhenUnused'], 'stalled ImmutableFieldChanged until edit /disk'),
  row('an observer has nothing to observe', ['ObserveOnly'], 'blocked ExternalNotFound until live'),
  row('it moved to another backend', ['moved'], 'stalled BackendChanged until edit'),
  row('it leaves, and is kept', ['deleting'], 'gone kept'),
  row('an observer leaves', ['deleting', 'Delete', 'ObserveOnly'], 'gone kept'),
  row('it leaves: what was written goes', ['deleting', 'Delete'], 'delete by away'),
  row('it leaves: what may have been made goes', ['deleting', 'Delete', 'creating'], 'delete by away'),
  row('it leaves, and nothing of it was there', ['deleting', 'Delete', 'unrecorded'], 'gone kept'),
])('$why: $expect', (one) => {
  expect(short(planOf(given(...one.given)))).toBe(one.expect);
});

describe('what is remembered', () => {
  const intent = { op: 'create', token: 'make it', evidence: {} };

  test('a create is noted before it is sent: its answer may be all that ever tells of it', () => {
    const made = firstOf(given('unknown', 'unrecorded', 'Adopt'));
    expect(made).toMatchObject({ verb: 'create', intent, applied: recorded.applied });
  });

  test('an edit whose answer is lost is written again', () => {
    const step = firstOf(given('unknown', 'sizeEdited', 'noteEdited'));
    expect(step).toMatchObject({ effect: 'make', unsure: expect.arrayContaining(['/note']) });
    expect(step).not.toHaveProperty('intent');
    const applied = { ...recorded.applied, '/note': null };
    const lost = { ...given('unknown', 'noteEdited'), memory: { ...recorded, applied } };
    expect(short(planOf(lost))).toBe('update /note');
  });

  test('what rests there says that nobody has seen it', () => {
    expect(planOf(given('unknown'))).toEqual({
      verdict: 'in-sync',
      drift: [],
      unverified: true,
      applied: recorded.applied,
    });
  });

  test('what was just made does not wait to be seen', () => {
    const memory = { ...recorded, pending: { ...intent, done: true as const } };
    expect(short(planOf({ ...given('unknown'), memory }))).toBe('in-sync');
  });

  test('it is gone once the service said so, and not before', () => {
    const pending = { op: 'delete', token: 'away' };
    const left = { ...given('unknown', 'deleting', 'Delete') };
    expect(planOf({ ...left, memory: { ...recorded, pending } })).toMatchObject({
      steps: [{ verb: 'delete', effect: 'away', changes: [] }],
    });
    const memory = { ...noStatus, pending: { ...pending, done: true as const } };
    const because = 'it was deleted, as far as the service tells';
    expect(planOf({ ...left, memory })).toEqual({ verdict: 'gone', because, removed: true });
  });
});

test('a deletion whose answer was lost may have been done: declared again, it is made again', () => {
  const step = firstOf(given('unknown', 'deleting', 'Delete'));
  expect(step).toMatchObject({ verb: 'delete', intent: { op: 'delete' } });
  expect(step.intent).not.toHaveProperty('done'); // it is repeated until it is answered
  const memory = { ...recorded, pending: { op: 'delete', token: 'Delete' } };
  expect(short(planOf({ ...given('unknown'), memory }))).toBe(`create ${every}`);
  // An unfinished create is ended without: its own intent would be lost.
  expect(firstOf(given('unknown', 'deleting', 'Delete', 'creating'))).not.toHaveProperty('intent');
});

test.for<{ why: string; of: Given; says: string }>([
  {
    why: 'an observer',
    of: given('unknown', 'ObserveOnly'),
    says: 'the service can not tell whether it is there',
  },
  {
    why: 'one that may be somebody else’s',
    of: given('unknown', 'unrecorded'),
    says: 'the service can not tell whether there is one that is not ours (adoptionPolicy: Fail)',
  },
  {
    why: 'an edit that needs another object',
    of: given('unknown', 'ownerEdited'),
    says: "/owner: can't be changed where the service can't tell what is there",
  },
  { why: 'one that is kept', of: given('unknown', 'deleting'), says: 'kept as it is' },
  {
    why: 'one that was never made',
    of: given('unknown', 'deleting', 'Delete', 'unrecorded'),
    says: 'nothing of it was outside',
  },
])('people read why: $why', ({ of, says }) => {
  const plan = planOf(of);
  expect(plan.verdict === 'blocked' ? plan.message : plan.verdict === 'gone' && plan.because).toBe(says);
});

test('where the service can not delete it either, a person decides', () => {
  expect(planOf(given('unknown', 'deleting', 'Delete'), {})).toMatchObject({
    reason: 'DeletionBlocked',
    changes: [],
    wake: { on: 'edit' },
    stalls: true,
    message: 'the service has no way to delete it; deletionPolicy: Retain lets it stay',
  });
});
