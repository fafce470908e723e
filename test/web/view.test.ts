import { expect, test } from 'vitest';
import { headline, marksOf, stateOf } from '../../src/core/status/view.ts';
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
