// What comes of a freeze: who is thawed, how often, and what is said of the data; also where the process was cut off between two
// steps.
import { describe, expect, test } from 'vitest';
import { shortHash } from '../../../src/core/hash.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { consistencyOf } from '../../../src/kinds/csi-snapshot/consistency.ts';
import type { HooksOwn, Own } from '../../../src/kinds/csi-snapshot/own.ts';
import { afterFreeze, afterThaw, atCreate, open } from '../../../src/kinds/csi-snapshot/quiesce.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import {
  after,
  begun,
  continuing,
  failedOnce,
  fresh,
  hooks,
  ids,
  memory,
  of,
  quiesce,
  spec,
  wallMs,
} from './frozen.ts';
import { declared, outline, own as taken, recorded, situation, unanswered, type Given } from './situation.ts';

const message = 'no';
const done = { is: 'done', exitCode: 0 };
const failed = { is: 'done', exitCode: 1 };
const unknown = { is: 'unknown', message };
const refused = { is: 'refused', message };

describe('after the freeze', () => {
  test.for([
    { why: 'all are frozen', reply: { a1: done, a2: done }, frozen: true, left: ids, message: undefined },
    {
      why: 'one failed: both are thawed',
      reply: { a1: done, a2: failed },
      frozen: false,
      left: ids,
      message: '/hooks/before: a2: exit code 1',
    },
    {
      why: 'one did not answer: it may be frozen',
      reply: { a1: unknown, a2: done },
      frozen: false,
      left: ids,
      message: '/hooks/before: a1: no',
    },
    {
      why: 'of one nothing is told: it may be frozen',
      reply: { a2: done },
      frozen: false,
      left: ids,
      message: '/hooks/before: a1: no answer tells of it',
    },
    {
      why: 'one was refused: there is nothing to thaw in it',
      reply: { a1: refused, a2: done },
      frozen: false,
      left: ['a2'],
      message: '/hooks/before: a1: no',
    },
    {
      why: 'one was not reached',
      reply: { a1: { is: 'unreached', message }, a2: done },
      frozen: false,
      left: ['a2'],
      message: '/hooks/before: a1: no',
    },
    {
      why: 'all were refused: nothing is open',
      reply: { a1: refused, a2: refused },
      frozen: undefined,
      left: undefined,
      message: '/hooks/before: a1: no',
    },
  ])('$why', ({ reply, why: _why, ...expected }) => {
    const found = afterFreeze({ ...begun, quiesce: { ...quiesce, frozen: false } }, hooks.before, reply);
    expect({
      frozen: found.quiesce?.frozen,
      left: found.quiesce?.allocations,
      message: found.message,
    }).toEqual(expected);
    expect(found.tries).toBe(1);
    expect('message' in found).toBe(expected.message !== undefined);
  });

  test('as much is said as can be recorded', () => {
    const told = { a1: { is: 'refused', message: 'x'.repeat(2_000) }, a2: done };
    expect(afterFreeze(begun, hooks.before, told).message).toHaveLength(256);
  });
});

const stands: Status<Own> = { ...noStatus, own: { ...taken, hooks: begun } };
const thawed = (
  status: Status<Own>,
  reply: object | undefined,
  late = false,
  gone: readonly string[] = [],
  atMs = wallMs,
) =>
  afterThaw(status, status.own!.hooks!, {
    late,
    wallMs: atMs,
    isGone: (id) => gone.includes(id),
    disturbance: '',
    ...(reply && { reply: JSON.parse(JSON.stringify(reply)) }),
  });
const failing = (failures: number): Status<Own> => ({
  ...stands,
  own: { ...taken, hooks: { ...begun, quiesce: { ...quiesce, failures } } },
});
const both = { a1: done, a2: done };

describe('after the thaw', () => {
  test.for<{
    why: string;
    status: Status<Own>;
    late?: boolean;
    outcome: string | undefined;
    message?: string;
  }>([
    { why: 'taken while frozen', status: stands, outcome: 'Quiesced' },
    { why: 'taken too late', status: stands, late: true, outcome: 'QuiesceExpired' },
    {
      why: 'taken though one did not freeze',
      status: { ...stands, own: { ...taken, hooks: { ...begun, quiesce: { ...quiesce, frozen: false } } } },
      outcome: 'QuiesceFailed',
    },
    { why: 'cut off before the create: it is not taken', status: memory(begun), outcome: undefined },
    {
      why: 'not taken in time',
      status: memory(begun),
      late: true,
      outcome: undefined,
      message: 'the deadline passed before the snapshot could be taken',
    },
    {
      why: 'cut off before the answer to the create: nobody knows',
      status: { ...unanswered, own: { hooks: begun } },
      outcome: 'QuiesceInterrupted',
    },
    {
      why: 'what was said once stays',
      status: { ...noStatus, own: { ...taken, hooks: { ...begun, outcome: 'Quiesced' } } },
      late: true,
      outcome: 'Quiesced',
    },
  ])('$why: $outcome', ({ status, late, outcome, message: told }) => {
    const found = thawed(status, both, late);
    expect(found.quiesce).toBeUndefined();
    expect(found.outcome).toBe(outcome);
    expect(found.message).toBe(told);
    expect('message' in found).toBe(told !== undefined);
  });

  test.for<{
    why: string;
    reply: object | undefined;
    gone?: readonly string[];
    left: readonly string[] | undefined;
  }>([
    { why: 'nobody answers', reply: undefined, left: ids },
    { why: 'one does not', reply: { a1: done, a2: unknown }, left: ['a2'] },
    { why: 'one is refused', reply: { a1: refused, a2: done }, left: ['a1'] },
    { why: 'one can not', reply: { a1: failed, a2: done }, left: ['a1'] },
    {
      why: 'its exit code is expected',
      reply: { a1: { is: 'done', exitCode: 3 }, a2: done },
      left: undefined,
    },
    { why: 'one does not answer, and has ended', reply: { a1: done }, gone: ['a2'], left: undefined },
    { why: 'all have ended', reply: undefined, gone: ids, left: undefined },
  ])('$why: $left are asked again', ({ reply, gone, left }) => {
    const found = thawed(stands, reply, false, gone);
    expect(found.quiesce?.allocations).toEqual(left);
    expect(found.outcome).toBe('Quiesced');
    expect(found.unthawed).toBeUndefined();
  });

  test('who answers three times that it can not is asked no more, and people are told', () => {
    let status = stands;
    for (const times of [1, 2]) {
      status = { ...status, own: { ...taken, hooks: thawed(status, { a1: failed, a2: done }) } };
      expect(status.own?.hooks?.quiesce).toMatchObject({ failures: times, allocations: ['a1'] });
    }
    const unanswered3 = thawed(status, { a1: unknown });
    expect(unanswered3.quiesce).toBeDefined();
    const last = thawed(status, { a1: failed });
    expect(last.quiesce).toBeUndefined();
    expect(last.unthawed).toBe('/hooks/after: a1: exit code 1');
  });

  test('who does not answer keeps the others from being given up, and is not counted', () => {
    expect(thawed(failing(0), { a1: failed, a2: unknown }).quiesce).toMatchObject({
      failures: 1,
      allocations: ids,
    });
    expect(thawed(failing(1), { a1: unknown, a2: unknown }).quiesce).toMatchObject({ failures: 1 });
    expect(thawed(failing(2), { a1: failed, a2: unknown }).quiesce).toMatchObject({
      failures: 3,
      allocations: ids,
    });
  });

  test('what froze it without an answer may arrive late: it is thawed once more, a while later', () => {
    const unsure = { ...begun, quiesce: { ...quiesce, frozen: false, unsure: true as const } };
    const once = thawed(memory(unsure), both);
    expect(once.quiesce).toEqual({ ...unsure.quiesce, thawedMs: wallMs });
    expect(open({ own: { hooks: once } })).toMatchObject({ againMs: 5_000 });
    expect(thawed(memory(once), both, false, [], wallMs + 4_999).quiesce).toEqual(once.quiesce);
    expect(thawed(memory(once), both, false, [], wallMs + 5_000).quiesce).toBeUndefined();
    expect(thawed(memory(unsure), undefined, false, ids).quiesce).toBeUndefined();
    expect(thawed(memory(unsure), { a1: done }, false, ['a2']).quiesce).toMatchObject({ thawedMs: wallMs });
  });

  test('all that answered are sure to be frozen, or not', () => {
    const before = { ...begun, quiesce: { ...quiesce, frozen: false, unsure: true as const } };
    const unsure = (reply: object) =>
      afterFreeze(before, hooks.before, JSON.parse(JSON.stringify(reply))).quiesce?.unsure;
    expect([both, { a1: failed, a2: done }, { a1: refused, a2: done }].map(unsure)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([{ a1: unknown, a2: done }, { a1: done }].map(unsure)).toEqual([true, true]);
  });

  test('without anything open nothing changes', () => {
    expect(thawed(memory(failedOnce), both)).toEqual(failedOnce);
    expect(afterFreeze(failedOnce, hooks.before, {})).toEqual(failedOnce);
  });
});

const told = (outcome: HooksOwn['outcome']): Given['memory'] => ({
  ...recorded,
  own: { ...taken, hooks: { of, tries: 1, ...(outcome && { outcome }) } },
});
const say = (outcome: HooksOwn['outcome'], more: object = {}) =>
  consistencyOf({ ...taken, hooks: { of, tries: 1, ...(outcome && { outcome }), ...more } })?.message;

describe('what is said of the data', () => {
  test.for<{ why: string; given: Given; outcome: string | undefined }>([
    { why: 'nothing without hooks', given: { ...fresh, spec: declared }, outcome: undefined },
    { why: 'nothing before the thaw', given: after(begun), outcome: undefined },
    {
      why: 'taken without a freeze',
      given: after(failedOnce, { spec: continuing }),
      outcome: 'QuiesceFailed',
    },
    {
      why: 'taken without anybody to freeze',
      given: { ...fresh, spec: continuing },
      outcome: 'QuiesceFailed',
    },
    {
      why: 'its create was repeated after the thaw',
      given: { ...fresh, memory: unanswered },
      outcome: 'QuiesceInterrupted',
    },
  ])('$why: $outcome', ({ given, outcome }) => {
    expect(atCreate(situation(given))?.outcome).toBe(outcome);
  });

  test('what is recorded of hooks that nobody was asked for can be read again', () => {
    expect(atCreate(situation({ ...fresh, spec: continuing }))).toStrictEqual({
      of: shortHash(continuing.hooks!),
      tries: 0,
      outcome: 'QuiesceFailed',
    });
  });

  test.for<{ outcome: HooksOwn['outcome']; of: Spec; is: string }>([
    { outcome: 'Quiesced', of: spec, is: 'in-sync' },
    { outcome: 'QuiesceExpired', of: spec, is: 'stalled QuiesceExpired until edit' },
    { outcome: 'QuiesceInterrupted', of: spec, is: 'stalled QuiesceInterrupted until edit' },
    { outcome: 'QuiesceFailed', of: spec, is: 'stalled QuiesceFailed until edit' },
    { outcome: 'QuiesceExpired', of: continuing, is: 'in-sync' },
    { outcome: 'QuiesceExpired', of: declared, is: 'in-sync' },
    { outcome: undefined, of: spec, is: 'in-sync' },
  ])('$outcome: $is', (row) => {
    expect(outline({ spec: row.of, memory: told(row.outcome)! })).toBe(row.is);
  });

  test('in words, each another', () => {
    expect(say('Quiesced')).toBe('');
    expect(say('QuiesceFailed')).toBe('nothing was frozen while it was taken');
    expect(say('QuiesceFailed', { message: 'why' })).toBe('why');
    expect(say('QuiesceExpired')).toContain('thawed');
    expect(say('QuiesceInterrupted')).toContain('repeated');
    expect(say(undefined)).toBeUndefined();
    expect(consistencyOf(undefined)).toBeUndefined();
    expect(consistencyOf({ hooks: { ...begun, outcome: 'QuiesceInterrupted' } })).toBeUndefined();
  });
});
