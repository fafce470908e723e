import { expect, test } from 'vitest';
import type { Json } from '../../src/core/secret.ts';
import type { FieldChange } from '../../src/core/status/status.ts';
import { differenceOf, headline, marksOf, stateOf } from '../../src/core/status/view.ts';
import { condition, keyOf, memoryOf, objectView, ready, stalled, withConditions } from './fake-view.ts';

const working = condition('Reconciling', 'True', 'Unavailable', 'no answer');

test.for([
  ['nobody has looked yet: it is being looked into', [], 'reconciling'],
  ['all is well', ready, 'ready'],
  ['an outage leaves Ready as it was: it is looked into', [...ready, working], 'reconciling'],
  [
    'it waits for something: it can not be used',
    [condition('Ready', 'False', 'Waits'), working],
    'not-ready',
  ],
  ['nobody knows', [condition('Ready', 'Unknown', 'ConnectionNotReady')], 'reconciling'],
  ['a person is needed, whatever else holds', [...stalled('InvalidSpec', 'x'), working], 'stalled'],
  [
    'a condition that is False says the opposite of its name',
    [...ready, condition('Stalled', 'False', 'Fine')],
    'ready',
  ],
] as const)('state: %s', ([, conditions, state]) => {
  expect(stateOf(withConditions(keyOf('a'), conditions))).toBe(state);
});

test('marks stand beside the state, the worst first', () => {
  const fields = [{ path: '/a', desired: 1, live: 2, cause: 'drift' }] as const;
  const drift = { summary: '1 field', detectedAt: '2026-11-20T11:00:00Z', fields };
  const object = objectView(keyOf('a'), {
    suspension: { by: 'annotation' },
    deleting: true,
    status: memoryOf({ drift }),
  });
  expect(marksOf(object)).toEqual(['drifted', 'suspended', 'deleting']);
  expect(marksOf(objectView(keyOf('a')))).toEqual([]);
});

test('somebody who opens an object can tell what was changed outside from what was edited', () => {
  const applied = { '/size': 1, '/flags': ['a'], '/none': null };
  const cause = 'edit';
  const of = (path: string, desired: Json, why: FieldChange['cause'] = cause) =>
    differenceOf({ applied }, { path, desired, cause: why });
  expect(of('/size', 1)).toBe('outside'); // gone outside: it differs although nobody edited it
  expect(of('/flags', ['a'])).toBe('outside');
  expect(of('/none', null)).toBe('outside');
  expect(of('/size', 2)).toBe('edit');
  expect(of('/other', 2)).toBe('unwritten');
  expect(of('/toString', 2)).toBe('unwritten');
  expect(of('/other', 2, 'drift')).toBe('outside');
  expect(of('/size', 2, 'drift')).toBe('outside');
});

/** Of an object whose two fields, last written as 0 and 1, are both something else by now. */
function marked(...desired: readonly number[]): readonly string[] {
  const fields = desired.map(
    (value, i) => ({ path: `/f${i}`, desired: value, live: 9, cause: 'edit' }) as const,
  );
  const drift = { summary: 'some', detectedAt: '2026-11-20T11:00:00Z', fields };
  return marksOf(objectView(keyOf('a'), { status: memoryOf({ applied: { '/f0': 0, '/f1': 1 }, drift }) }));
}

test('one field that was changed outside marks the object, edits alone do not', () => {
  expect(marked(5, 6)).toEqual([]);
  expect(marked(5, 1)).toEqual(['drifted']);
});

test.for([
  ['the condition that stalls it speaks first', [...ready, ...stalled('Refused', 'why')], 'Refused'],
  [
    'well, but left drifted: Synced has the news',
    [ready[0], condition('Synced', 'False', 'Drifted', '/a')],
    'Drifted',
  ],
  ['well: nothing to say', [ready[0], condition('Synced', 'True', 'Written')], 'InSync'],
  ['well, and nobody said more', [ready[0]], 'InSync'],
  ['what it is busy with comes before how it was', [...ready, working], 'Unavailable'],
  [
    'why it can not be used comes before what differs',
    [condition('Ready', 'False', 'NodesMissing', 'on 1 of 2'), condition('Synced', 'False', 'Drifted')],
    'NodesMissing',
  ],
  [
    'what stalls it stays the news, even without a word',
    [...stalled('Refused', ''), condition('Synced', 'False', 'Drifted', '/a')],
    'Refused',
  ],
  ['never looked at', [], 'Pending'],
] as const)('headline: %s', ([, conditions, reason]) => {
  const held = conditions.flatMap((c) => (c ? [c] : []));
  expect(headline(withConditions(keyOf('a'), held)).reason).toBe(reason);
});

test('one that nobody has looked at says so in words', () => {
  expect(headline(withConditions(keyOf('a'), [])).message).toBe('not reconciled yet');
});
