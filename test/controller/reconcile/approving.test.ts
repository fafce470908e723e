// What a saved plan approves is named as the door asks for it.
import { describe, expect, test } from 'vitest';
import { approvalOf } from '../../../src/controller/reconcile/destruction.ts';

describe('what a person approves who lets a step go on', () => {
  const object = {
    key: { kind: 'Disk', namespace: 'shop', name: 'a' },
    uid: 'u',
    generation: 2,
    held: true,
    requests: {},
    spec: {},
    deleting: false,
  };
  const step = { changes: [] } as const;
  const replace = {
    ...step,
    verb: 'replace',
    destroys: 'data',
    intent: { op: 'replace', token: 't', evidence: { removed: 'd1' } },
  } as const;
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
  const expires = [
    { key: 'c', at: late },
    { key: 'b', at: early },
  ];

  test.each([
    {
      why: 'that it leaves, whatever the step',
      of: { ...object, deleting: true },
      at: { ...step, verb: 'detach' },
      is: 'u 2 is deleted',
    },
    { why: 'this replacement', of: object, at: replace, is: 'u 2 is replaced: d1' },
    {
      why: 'children up to the newest',
      of: object,
      at: { ...step, verb: 'act', destroys: 'data', expires },
      is: `u 2 expires to ${late}`,
    },
    { why: 'nothing where nothing is lost', of: object, at: { ...step, verb: 'replace' }, is: undefined },
    {
      why: 'nothing where that was counted before',
      of: object,
      at: { ...step, verb: 'destroy', destroys: 'data' },
      is: undefined,
    },
  ] as const)('$why', ({ of, at, is }) => expect(approvalOf({ object: of, step: at })).toBe(is));
});
