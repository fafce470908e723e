import { noStatus } from '../../src/core/status/status.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyText, parseKey } from '../../src/core/resource.ts';

const part = fc.string({ minLength: 1 }).filter((name) => !name.includes('/'));

test('a key reads back from its text', () => {
  const key = fc.record({ kind: part, namespace: fc.oneof(fc.constant(''), part), name: part });
  fc.assert(
    fc.property(key, (k) => {
      expect(parseKey(keyText(k))).toEqual(k);
    }),
  );
});

test('cluster-scoped keys have no namespace in their text', () => {
  expect(keyText({ kind: 'SchedulerConnection', namespace: '', name: 'production' })).toBe(
    'SchedulerConnection/production',
  );
  expect(keyText({ kind: 'CSIVolume', namespace: 'shop', name: 'data' })).toBe('CSIVolume/shop/data');
});

test.for([
  '',
  'CSIVolume',
  '/',
  '//',
  'CSIVolume/',
  '/data',
  'CSIVolume//data',
  'CSIVolume/shop/',
  'CSIVolume/a/b/c',
  '/shop/data',
])('what a person typed wrongly is no key: "%s"', (text) => {
  expect(parseKey(text)).toBeUndefined();
});

test('nothing is remembered of an object at first', () => {
  expect(noStatus).toEqual({ applied: {}, handledRequests: {}, tries: {}, history: [], conditions: [] });
});
