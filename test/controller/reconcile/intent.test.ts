// What is remembered before a step and after one that failed: all that a process knows that starts after a crash. What is
// missing here is a disk that nobody knows; what is too much is proof of something that did not happen.
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { describe, expect, test } from 'vitest';
import { intended, proven, recordsDeletion, refused } from '../../../src/controller/reconcile/intent.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { Step } from '../../../src/core/planning/plan.ts';
import { type DeclaredObject } from '../../../src/core/resource.ts';

const now = '2026-03-01T00:00:00Z';
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'InSync',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: now,
} as const;
const before: Status = {
  ...noStatus,
  externalRef: { id: 'a' },
  identity: 'd1',
  own: 'as it was',
  applied: { '/a': 1, '/b': 2 },
  handledRequests: { earlier: 't0' },
  tries: { '/a': 1 },
  conditions: [ready],
};
const intent = { op: 'replace', token: '/a', evidence: { removed: 'd1' } };
const step = (more: Partial<Step<unknown>> = {}): Step<unknown> => ({
  verb: 'update',
  summary: 'do it',
  changes: [],
  ...more,
});

const object: DeclaredObject = {
  key: { kind: 'Disk', namespace: 'shop', name: 'a' },
  uid: 'u1',
  generation: 1,
  deleting: false,
  held: true,
  requests: {},
  spec: {},
};
const counted = (of: Step<unknown>, memory: Status, approved?: string) =>
  recordsDeletion({ object, step: of }, memory, approved);

describe('a replacement counts against the limits', () => {
  const replacing = step({ verb: 'replace', destroys: 'data', intent });
  const again = { ...before, pending: intent };

  test('when it is intended first, also where something else was under way', () => {
    expect(counted(replacing, before)).toBe('first');
    expect(counted(replacing, { ...before, pending: { ...intent, op: 'delete' } })).toBe('first');
  });

  test('from the last time that it is sent: counted from the first, a crash in between gave the hour back too early', () => {
    expect(counted(replacing, again)).toBe('again');
    expect(counted(replacing, again, 'u1 1 is replaced: d1')).toBeUndefined();
  });

  test('and so does the replacement of what the first one made', () => {
    const next = { ...intent, evidence: { removed: 'd2' } };
    expect(counted(step({ ...replacing, intent: next }), again)).toBe('first');
    expect(counted(replacing, { ...before, pending: { op: 'replace', token: '' } })).toBe('first');
    const { intent: _, ...unnamed } = replacing;
    expect(counted(unnamed, again)).toBe('first');
    expect(counted({ ...replacing, intent: { op: 'replace', token: '' } }, again)).toBe('first');
  });

  test('not once a person approved it: what was agreed to leaves the hour to others', () => {
    expect(counted(replacing, before, 'u1 1 is replaced: d1')).toBeUndefined();
    expect(counted(replacing, before, 'u1 2 is replaced: d1')).toBe('first');
  });

  test('unless it destroys nothing; what leaves is counted as it goes', () => {
    expect(counted(step({ verb: 'replace', intent }), before)).toBeUndefined();
    for (const verb of ['delete', 'destroy', 'update'] as const)
      expect(counted(step({ verb, destroys: 'data', intent }), before)).toBeUndefined();
  });
});

describe('before a step', () => {
  test('nothing is noted where its result can be seen', () => {
    const more = { identity: 'd2', noted: 'more', applied: { '/a': 9 }, handledRequests: { turn: 't1' } };
    expect(intended(step(more), before, now)).toBe(before);
  });

  test('its intent is noted with what it is done to, and what the kind knows', () => {
    expect(intended(step({ intent, identity: 'd2', noted: 'more' }), before, now)).toEqual({
      ...before,
      pending: intent,
      identity: 'd2',
      own: 'more',
    });
    expect(intended(step({ intent }), before, now)).toStrictEqual({ ...before, pending: intent });
  });

  test('what nothing shows counts as unknown from then on: an edit is then written again', () => {
    expect(intended(step({ unsure: ['/b', '/c'] }), before, now)).toStrictEqual({
      ...before,
      applied: { '/a': 1, '/b': null, '/c': null },
    });
    expect(intended(step({ unsure: ['/b'], intent, applied: { '/a': 9 } }), before, now)).toEqual({
      ...before,
      pending: intent,
      applied: { '/a': 1, '/b': null },
    });
  });

  test('that creates, what is sent is remembered as sent, and its requests as answered', () => {
    const create = step({ verb: 'create', intent, applied: { '/a': 9 }, handledRequests: { turn: 't1' } });
    expect(intended(create, before, now)).toEqual({
      ...before,
      pending: intent,
      applied: { '/a': 9 },
      handledRequests: { earlier: 't0', turn: 't1' },
    });
    expect(intended(step({ verb: 'create', intent }), before, now).applied).toEqual({});
  });

  test('that creates, refusals of those before do not count against it: it may make what they did not', () => {
    const evidence = { name: 'drawn-1' };
    const create = step({ verb: 'create', attempt: 'create', intent: { ...intent, op: 'create', evidence } });
    const often = { ...before, tries: { '/a': 1, create: 3 } };
    const first = intended(create, often, now);
    expect(first.tries).toEqual({ '/a': 1 });
    const since = { ...first, tries: { create: 2 } };
    expect(intended(create, since, now).tries).toEqual({ create: 2 }); // the same, repeated
    const other = { op: 'create', token: '', evidence: { name: 'drawn-2' } };
    expect(intended({ ...create, intent: other }, since, now).tries).toEqual({});
    const { pending, ...unbegun } = since;
    for (const open of [
      { ...pending!, done: true as const },
      { ...pending!, op: 'update' },
    ])
      expect(intended(create, { ...unbegun, pending: open }, now).tries).toEqual({});
    expect(intended({ ...create, verb: 'revive' }, often, now).tries).toBe(often.tries);
  });

  test('that outdates what is published, the object is not ready any more, and says why', () => {
    const after = intended(step({ trial: 'login' }), before, now);
    expect(conditionOf(after.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'NotPublished',
      message: 'what it makes is not published yet: do it',
    });
    expect(after.pending).toBeUndefined();
    const waiting = { ...before, conditions: [] };
    expect(intended(step({ trial: 'login' }), waiting, now)).toBe(waiting);
    expect(intended(step(), before, now).conditions).toEqual([ready]);
  });
});

const error = (status?: number, kind: 'refused' | 'throttled' | 'timeout' | 'waiting' = 'refused') =>
  new ApiError(kind, 'Rejected', 'no quota', status === undefined ? {} : { status });

test('a rejection that proves what it was about gone leaves that intent as done, and no refusal', () => {
  const one = step({ rejection: { reason: 'Rejected', proves: { op: 'destroy', token: 'it' } } });
  const outcome = { is: 'rejected', error: error(500) } as const;
  const noted = { ...before, identity: 'known since', pending: { op: 'retire', token: 'it' } };
  expect(refused(one, outcome, noted, before)).toEqual({
    ...noted,
    pending: { op: 'destroy', token: 'it', done: true },
  });
  const other = new ApiError('refused', 'PermissionDenied', 'no', { status: 403 });
  expect(proven(one, outcome)).toEqual({ op: 'destroy', token: 'it', done: true });
  expect(proven(one, { is: 'unknown', error: error() })).toBeUndefined();
  expect(proven(one, { is: 'rejected', error: other })).toBeUndefined();
  expect(proven(step({}), outcome)).toBeUndefined();
});

describe('after a step that failed', () => {
  const noted = { ...before, pending: intent };
  const attempt = 'create';
  const after = (of: ApiError, more: Partial<Step<unknown>> = {}, is: 'rejected' | 'unknown' = 'rejected') =>
    refused(step({ attempt, ...more }), { is, error: of }, noted, before);

  test('and was refused, nothing is kept that was noted because it might happen', () => {
    expect(after(error(400)).pending).toBeUndefined();
    expect(after(error(400), {}, 'unknown').pending).toEqual(intent);
  });

  test('the refusal is kept for who asks why, as long as it is worth showing', () => {
    expect(after(error(400)).refusal).toBe('no quota');
    expect(
      after(new ApiError('refused', 'Rejected', 'x'.repeat(5_000), { status: 400 })).refusal,
    ).toHaveLength(1_024);
  });

  test('and was not answered, or only put off, no refusal is made up', () => {
    expect(after(error(), {}, 'unknown')).not.toHaveProperty('refusal');
    expect(after(error(429, 'throttled'))).not.toHaveProperty('refusal');
  });

  test('the attempt counts, beside the others', () => {
    expect(after(error(400)).tries).toEqual({ '/a': 1, create: 1 });
    expect(after(error(400), { attempt: '/a' }).tries).toEqual({ '/a': 2 });
    const { attempt: _, ...exempt } = step({ attempt });
    expect(refused(exempt, { is: 'rejected', error: error(400) }, noted, before).tries).toEqual({
      '/a': 1,
    });
  });

  test('a create that has acted and waits for something else does not: under another name it would act once more', () => {
    const half = new ApiError('waiting', 'NamespaceNotFound', '', { status: 500, mayHaveHadEffect: true });
    expect(after(half, { verb: 'create' }, 'unknown').tries).toEqual({ '/a': 1 });
    expect(after(error(500, 'waiting'), { verb: 'create' }).tries).toEqual({ '/a': 1, create: 1 });
    const failed = new ApiError('unavailable', 'Unavailable', '', { status: 500, mayHaveHadEffect: true });
    expect(after(failed, { verb: 'create' }, 'unknown').tries).toEqual({ '/a': 1, create: 1 });
  });

  test('a create that nobody answered does not: it is repeated as it was', () => {
    for (const of of [error(), error(429, 'throttled')]) {
      expect(after(of, { verb: 'create' }, 'unknown').tries).toEqual({ '/a': 1 });
      expect(after(of, { verb: 'detach' }, 'unknown').tries).toEqual({ '/a': 1, create: 1 });
    }
    expect(after(error(400), { verb: 'create' }).tries).toEqual({ '/a': 1, create: 1 });
  });
});
