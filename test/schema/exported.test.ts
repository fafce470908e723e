// An export that says more than it has to becomes a manifest that fights the service's own defaults; one that says less
// is not what is there.
import { expect, test } from 'vitest';
import { durationText, specOf } from '../../src/schema/exported.ts';

const fields = {
  '/plain': { change: 'in-place' },
  '/a/b': { change: 'in-place', unset: false },
  '/a/c': { change: 'in-place', unset: ['x'] },
  '/span': { change: 'in-place', unset: 30 },
} as const;

test('what is at its default, empty or not known is left out, and the rest is where the spec has it', () => {
  const have = { '/plain': 'v', '/a/b': true, '/a/c': ['x'], '/span': 30 } as const;
  expect(specOf(fields, have)).toEqual({ plain: 'v', a: { b: true } });
  expect(specOf(fields, { '/plain': '', '/a/b': false, '/a/c': ['y'] })).toEqual({ a: { c: ['y'] } });
  expect(specOf(fields, { '/plain': null, '/a/c': [] })).toEqual({});
});

test('a duration is written as manifests have it; a value that is none stays as it is', () => {
  const written = [3600, 5400, 90, 86_400, 0, 1.5, 'x'].map(durationText);
  expect(written).toEqual(['1h', '90m', '90s', '24h', 0, 1.5, 'x']);
  expect(specOf(fields, { '/span': 60 }, { '/span': durationText })).toEqual({ span: '1m' });
});
