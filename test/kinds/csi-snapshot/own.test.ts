// What is recorded of a snapshot and its hooks: half a record would thaw half of what is frozen, so it is none.
import { describe, expect, test } from 'vitest';
import { parseOwn, takenIn } from '../../../src/kinds/csi-snapshot/own.ts';
import { begun, quiesce } from './frozen.ts';
import { own as taken } from './situation.ts';

const full = {
  ...begun,
  quiesce: { ...quiesce, tasks: { a1: ['db'] }, unsure: true, thawedMs: 5 },
  outcome: 'Quiesced',
  message: 'it did not',
  unthawed: 'nor that',
};
const long = 'x'.repeat(1_025);

describe('what was recorded is read as it was', () => {
  const outcomes = ['Quiesced', 'QuiesceExpired', 'QuiesceFailed', 'QuiesceInterrupted'];
  test.for<object>([begun, full, ...outcomes.map((outcome) => ({ ...begun, outcome }))])('%j', (hooks) => {
    expect(parseOwn({ hooks })).toStrictEqual({ hooks });
    expect(parseOwn({ ...taken, hooks })).toStrictEqual({ ...taken, hooks });
  });

  test('whether it is taken is told by its ID', () => {
    expect(takenIn(parseOwn({ hooks: begun }))).toBeUndefined();
    expect(takenIn(parseOwn(taken))).toStrictEqual(taken);
    expect(takenIn(undefined)).toBeUndefined();
    const longest = { ...taken, id: 'x'.repeat(1_024) };
    expect(parseOwn(longest)).toStrictEqual(longest);
  });
});

describe('what is not all there is nothing', () => {
  const damaged = (more: object): object => ({ hooks: { ...full, quiesce: { ...full.quiesce, ...more } } });
  const wrong: readonly object[] = [
    {},
    { hooks: full, other: 1 },
    ...['of', 'tries'].map((field) => ({ hooks: { ...full, [field]: undefined } })),
    ...['of', 'message', 'unthawed'].flatMap((field) =>
      ['', long, 5].map((value) => ({ hooks: { ...full, [field]: value } })),
    ),
    { hooks: { ...full, outcome: 'Perhaps' } },
    { hooks: { ...full, tries: '1' } },
    ...Object.keys(quiesce).map((field) => damaged({ [field]: undefined })),
    ...['connection', 'backend', 'job'].flatMap((field) =>
      ['', long].map((value) => damaged({ [field]: value })),
    ),
    damaged({ allocations: [] }),
    damaged({ allocations: [''] }),
    damaged({ tasks: ['db'] }),
    damaged({ unsure: false }),
    damaged({ thawedMs: 'then' }),
    damaged({ after: { other: {} } }),
  ];

  test('nor what is of another form, whatever else is right', () => {
    for (const raw of wrong) expect(parseOwn(raw), JSON.stringify(raw).slice(0, 500)).toBeUndefined();
  });

  test('nor is one that is taken known without its hooks', () => {
    expect(parseOwn({ ...taken, hooks: { ...full, of: '' } })).toBeUndefined();
  });
});
