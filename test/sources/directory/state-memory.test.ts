import { describe, expect, test } from 'vitest';
import { noMemory } from '../../../src/core/resource.ts';
import { parseMemory } from '../../../src/sources/directory/memory.ts';

const whole = {
  observedGeneration: 3,
  externalRef: { id: 'data' },
  applied: { '/size': 1, '/secret': { $secret: 'a/b', version: 'c' } },
  pending: { op: 'replace', token: '/size' },
  handled: { reconcile: 'now' },
  tries: { '/size': 1 },
  own: { anything: [1] },
  observed: { '/size': 1 },
  drift: { summary: '1 field', detectedAt: 'then', fields: [{ path: '/size', live: 2, cause: 'drift' }] },
  history: [{ at: 'then', verb: 'create', what: 'create it', fields: ['/size'] }],
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'InSync',
      message: '',
      observedGeneration: 3,
      lastTransitionTime: 'then',
    },
  ],
};

describe('what was remembered', () => {
  test('comes back as it was', () => {
    expect(parseMemory(JSON.stringify(whole))).toEqual(whole);
    expect(parseMemory(JSON.stringify(noMemory))).toEqual(noMemory);
  });

  test('may hold more than this version knows', () => {
    expect(parseMemory(JSON.stringify({ ...noMemory, novelty: 1 }))).toEqual({ ...noMemory, novelty: 1 });
  });

  test.each([
    { why: 'not JSON', text: '{' },
    { why: 'nothing', text: '' },
    { why: 'a list', text: '[]' },
    { why: 'null', text: 'null' },
    { why: 'a part is missing', text: JSON.stringify({ ...whole, handled: undefined }) },
    { why: 'the generation is a text', text: JSON.stringify({ ...whole, observedGeneration: '3' }) },
    {
      why: 'a reference that holds no texts would be believed',
      text: JSON.stringify({ ...whole, externalRef: { id: 1 } }),
    },
    { why: 'an intent without a token', text: JSON.stringify({ ...whole, pending: { op: 'replace' } }) },
    { why: 'a token that is no text', text: JSON.stringify({ ...whole, handled: { rotate: null } }) },
    { why: 'a count that is no number', text: JSON.stringify({ ...whole, tries: { '/size': '1' } }) },
    {
      why: 'a condition with a status of its own',
      text: JSON.stringify({ ...whole, conditions: [{ ...whole.conditions[0], status: 'Yes' }] }),
    },
    { why: 'history that is none', text: JSON.stringify({ ...whole, history: [{}] }) },
    {
      why: 'drift without fields',
      text: JSON.stringify({ ...whole, drift: { summary: '', detectedAt: '' } }),
    },
    {
      why: 'parts that only look inherited',
      text: '{"__proto__": {"applied": {}, "handled": {}}, "tries": {}, "history": [], "conditions": []}',
    },
  ])('is forgotten as a whole: $why', ({ text }) => {
    expect(parseMemory(text)).toBe(noMemory);
  });
});
