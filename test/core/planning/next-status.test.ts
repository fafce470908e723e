// What is remembered after each kind of step. Too little, and a disk is nobody's; too much, and what is gone is taken for
// what is there, or a record of the one before for proof of the next.
import { describe, expect, test } from 'vitest';
import {
  afterChange,
  afterDestroying,
  afterRemoval,
  afterRest,
} from '../../../src/core/planning/next-status.ts';
import type { Step } from '../../../src/core/planning/plan.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';

const externalRef = { id: 'a' };
const pending = { op: 'replace', token: 't', evidence: { removed: 'd1' } };
const memory: Status = {
  ...noStatus,
  externalRef,
  identity: 'd1',
  own: 'disk 1',
  applied: { '/a': 1 },
  handledRequests: { earlier: 't0' },
  tries: { '/a': 2, '/b': 1 },
  refusal: 'no quota',
  movedFrom: 'u0',
  pending,
};
const { own: _own, pending: _pending, refusal: _refusal, ...still } = memory;
const step = (more: Partial<Step<unknown>> = {}): Step<unknown> => ({
  verb: 'update',
  summary: 'do it',
  changes: [],
  ...more,
});
const edit = (path: string, cause: 'edit' | 'drift') => ({ path, cause, desired: 1 });

describe('at rest', () => {
  test('nothing is under way, nothing was tried, and what is there is what was seen', () => {
    const { pending: __, own: ___, ...rest } = memory;
    expect(afterRest(memory, { applied: { '/a': 3 }, identity: 'd2' }, { id: 'b' })).toStrictEqual({
      ...rest,
      externalRef: { id: 'b' },
      applied: { '/a': 3 },
      tries: {},
      identity: 'd2',
    });
  });

  test('where nobody could tell what is there, the record of it stays', () => {
    expect(afterRest(memory, { applied: {} }, externalRef).identity).toBe('d1');
  });
});

describe('fields that stay as they were', () => {
  const kept = { '/b': 1 };
  const before = { ...memory, kept: { '/c': 2 } };

  test('are those of the last look at rest, and none where it found none', () => {
    expect(afterRest(before, { applied: {}, kept }, externalRef)).toHaveProperty('kept', kept);
    expect(afterRest(before, { applied: {} }, externalRef)).not.toHaveProperty('kept');
  });

  test('are those of the write that was made', () => {
    expect(afterChange(before, step({ applied: {}, kept }), externalRef)).toHaveProperty('kept', kept);
    expect(afterChange(before, step({ applied: {} }), externalRef)).not.toHaveProperty('kept');
  });

  test.for([
    { why: 'that wrote no field' },
    { why: 'that brought it back', more: { verb: 'revive', applied: {} } },
  ] as const)('stay those of before after a step $why', ({ more }) => {
    expect(afterChange(before, step({ ...more, kept }), externalRef)).toHaveProperty('kept', before.kept);
  });

  test('are gone with the object', () => {
    expect(afterRemoval(before, step({ verb: 'delete' }))).not.toHaveProperty('kept');
  });
});

describe('after a removal', () => {
  const { externalRef: __, identity: ___, ...gone } = still;
  const intent = { op: 'delete', token: 'Delete', evidence: { removed: 'd1' } };

  test('nothing is left that would prove that the next of its name is ours; what was meant is', () => {
    expect(afterRemoval(memory, step({ verb: 'delete', intent }))).toStrictEqual({
      ...gone,
      applied: {},
      tries: {},
      pending: { ...intent, done: true },
    });
  });

  test('without an intent, what was done is noted', () => {
    expect(afterRemoval(memory, step({ verb: 'replace', summary: 'remove it' })).pending).toEqual({
      op: 'replace',
      token: 'remove it',
      done: true,
    });
  });

  test('what the kind keeps of it can be brought back: then it is known how it was, and where', () => {
    expect(afterRemoval(memory, step({ verb: 'delete', intent, own: 'kept' }))).toStrictEqual({
      ...gone,
      tries: {},
      applied: { '/a': 1 },
      own: 'kept',
      externalRef,
      pending: { ...intent, done: true },
    });
    const { externalRef: ____, ...nowhere } = memory;
    expect(afterRemoval(nowhere, step({ verb: 'delete', intent, own: 'kept' }))).not.toHaveProperty(
      'externalRef',
    );
  });
});

describe('after what was let go of is destroyed', () => {
  const intent = { op: 'destroy', token: 'r1' };

  test('of the object itself nothing changes', () => {
    const { own: __, ...rest } = memory;
    expect(afterDestroying(memory, step({ verb: 'destroy', intent }))).toStrictEqual({
      ...rest,
      pending: { ...intent, done: true },
    });
  });

  test('but for what the kind knows by then, and what is known of the new one', () => {
    expect(
      afterDestroying(memory, step({ verb: 'destroy', intent, own: 'new', identity: 'd2' })),
    ).toMatchObject({
      own: 'new',
      identity: 'd2',
      externalRef,
    });
  });
});

describe('after a change', () => {
  test('nothing is under way, no refusal stands, and the kind says anew what it knows', () => {
    expect(afterChange(memory, step(), { id: 'b' })).toStrictEqual({ ...still, externalRef: { id: 'b' } });
  });

  test('what was written, answered and proven is remembered', () => {
    const more = { applied: { '/a': 9 }, handledRequests: { turn: 't1' }, identity: 'd2' };
    expect(afterChange(memory, step(more), externalRef)).toStrictEqual({
      ...still,
      applied: { '/a': 9 },
      handledRequests: { earlier: 't0', turn: 't1' },
      identity: 'd2',
    });
    const { identity: __, ...unproven } = memory;
    expect(afterChange(unproven, step(), externalRef)).not.toHaveProperty('identity');
  });

  test.for(['create', 'revive'] as const)(
    '%s: nobody has seen the new one yet, and that it is done is known',
    (verb) => {
      const intent = { op: 'create', token: 't' };
      const after = afterChange(memory, step({ verb, intent, identity: 'd1' }), externalRef);
      expect(after).not.toHaveProperty('identity');
      expect(after.pending).toStrictEqual({ ...intent, done: true });
      expect(afterChange(memory, step({ verb }), externalRef)).not.toHaveProperty('pending');
    },
  );

  test('an update of which the other half is to come is not done', () => {
    const intent = { op: 'update', token: '/a' };
    expect(afterChange(memory, step({ intent }), externalRef).pending).toStrictEqual(intent);
  });

  test('no other step leaves its intent behind', () => {
    for (const verb of ['act', 'adopt', 'detach'] as const)
      expect(afterChange(memory, step({ verb, intent: pending }), externalRef)).not.toHaveProperty('pending');
  });
});

const tries = (more: Partial<Step<unknown>>) => afterChange(memory, step(more), externalRef).tries;

describe('what was written and is not seen yet is counted', () => {
  test('by field; an edit starts over', () => {
    const changes = [edit('/a', 'drift'), edit('/b', 'edit'), edit('/c', 'drift')];
    expect(tries({ changes })).toEqual({ '/a': 3, '/b': 1, '/c': 1 });
  });

  test('not where something is made: looking tells', () => {
    for (const verb of ['create', 'replace', 'adopt'] as const)
      expect(tries({ verb, changes: [edit('/a', 'drift')] })).toEqual(memory.tries);
  });

  test('by what a step is counted under', () => {
    expect(tries({ verb: 'act', attempt: '/a' })).toEqual({ '/a': 3, '/b': 1 });
    expect(tries({ verb: 'act', attempt: 'new' })).toEqual({ ...memory.tries, new: 1 });
  });
});
