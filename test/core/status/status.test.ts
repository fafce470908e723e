import { describe, expect, test } from 'vitest';
import { noStatus, parseStatus } from '../../../src/core/status/status.ts';

const whole = {
  observedGeneration: 3,
  externalRef: { id: 'data' },
  applied: { '/size': 1, '/secret': { $secret: 'a/b', version: 'c' } },
  pending: { op: 'replace', token: '/size' },
  handledRequests: { reconcile: 'now' },
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
    expect(parseStatus(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
    expect(parseStatus(JSON.parse(JSON.stringify(noStatus)))).toEqual(noStatus);
  });

  test('-1, which a cluster writes where nothing was observed yet, is none', () => {
    const { observedGeneration: _, ...unseen } = whole;
    expect(parseStatus({ ...whole, observedGeneration: -1 })).toStrictEqual(unseen);
    expect(parseStatus({ observedGeneration: -1 })).toBe(noStatus);
  });

  test('may hold more than this version knows', () => {
    expect(parseStatus({ ...noStatus, novelty: 1 })).toEqual({ ...noStatus, novelty: 1 });
  });

  test.each([
    { why: 'a list', text: '[]' },
    { why: 'null', text: 'null' },
    { why: 'a part is missing', text: JSON.stringify({ ...whole, handledRequests: undefined }) },
    { why: 'the generation is a text', text: JSON.stringify({ ...whole, observedGeneration: '3' }) },
    {
      why: 'a reference that holds no texts would be believed',
      text: JSON.stringify({ ...whole, externalRef: { id: 1 } }),
    },
    { why: 'an intent without a token', text: JSON.stringify({ ...whole, pending: { op: 'replace' } }) },
    { why: 'a token that is no text', text: JSON.stringify({ ...whole, handledRequests: { rotate: null } }) },
    { why: 'a count that is no number', text: JSON.stringify({ ...whole, tries: { '/size': '1' } }) },
    {
      why: 'a condition with a status of its own',
      text: JSON.stringify({ ...whole, conditions: [{ ...whole.conditions[0], status: 'Yes' }] }),
    },
    { why: 'fields that were written, as a list', text: JSON.stringify({ ...whole, applied: [1] }) },
    { why: 'fields that were observed, as a text', text: JSON.stringify({ ...whole, observed: '/size' }) },
    { why: 'no fields that were written', text: JSON.stringify({ ...whole, applied: undefined }) },
    { why: 'history that is none', text: JSON.stringify({ ...whole, history: [{}] }) },
    {
      why: 'drift without fields',
      text: JSON.stringify({ ...whole, drift: { summary: '', detectedAt: '' } }),
    },
    {
      why: 'parts that only look inherited',
      text: '{"__proto__": {"applied": {}, "handledRequests": {}}, "tries": {}, "history": [], "conditions": []}',
    },
  ])('is forgotten as a whole: $why', ({ text }) => {
    expect(parseStatus(JSON.parse(text))).toBe(noStatus);
  });
});
