// Rows of fields between a spec and the wire: what is not known must not look like a value.
import { expect, test } from 'vitest';
import { declaredIn, seenIn, shownOf, type Row } from '../../src/schema/rows.ts';

interface Sides {
  readonly a?: string;
}
const rows: readonly Row<'/a' | '/b', Sides, Sides>[] = [
  { path: '/a', field: 'a', declared: ({ a }) => a, seen: ({ a }) => a },
  { path: '/b', field: 'b', declared: () => 'always' },
];

test('what is neither declared nor shown is absent, not undefined', () => {
  expect(declaredIn(rows, {}, new Map())).toStrictEqual({ '/b': 'always' });
  expect(declaredIn(rows, { a: 'x' }, new Map())).toStrictEqual({ '/a': 'x', '/b': 'always' });
  expect(seenIn(rows, {})).toStrictEqual({});
  expect(seenIn(rows, { a: 'x' })).toStrictEqual({ '/a': 'x' });
});

test('a value that is too long for a status is not shown: a status is stored with every object', () => {
  const long = 'x'.repeat(1_023); // its quotes count
  expect(shownOf({ '/a': 'x'.repeat(1_022), '/b': long })).toStrictEqual({ a: 'x'.repeat(1_022) });
  expect(shownOf({ '/a': 'x', '/b/c': [1] })).toStrictEqual({ a: 'x', 'b/c': [1] });
});
