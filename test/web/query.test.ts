import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyText } from '../../src/core/resource.ts';
import { keyOfPath, listPath, objectPath, readQuery } from '../../src/web/query.ts';

const part = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => !text.includes('/'));

test('every object has an address of its own that leads back to it, whatever its name', () => {
  fc.assert(
    fc.property(part, fc.oneof(fc.constant(''), part), part, (kind, namespace, name) => {
      const key = { kind, namespace, name };
      expect(keyOfPath(objectPath(key))).toBe(keyText(key));
    }),
  );
});

test('names that mean something to JavaScript are names', () => {
  const key = { kind: '__proto__', namespace: 'constructor', name: 'toString' };
  expect(keyOfPath(objectPath(key))).toBe('__proto__/constructor/toString');
});

test.for([
  '/objects',
  '/objects/CSIVolume',
  '/objects/CSIVolume//a',
  '/objects/a/b/c/d',
  '/objects/a/%ff',
  '/x/a/b',
])('%s leads to no object', (path) => expect(keyOfPath(path)).toBeUndefined());

test('a question that is asked in an address comes back as it was', () => {
  const query = {
    text: 'a b&c=<',
    kind: 'CSIVolume',
    namespace: 'shop',
    connection: 'SchedulerConnection/production',
    state: 'drifted',
    sort: 'age',
    isReversed: true,
    group: 'namespace',
    page: 3,
  } as const;
  expect(readQuery(new URL(listPath(query), 'http://x').searchParams)).toEqual(query);
});

test.for([
  'sort=-',
  'sort=--age',
  'sort=size',
  'group=kind',
  'page=-1',
  'page=1e99',
  'page=x',
  'state=nonsense',
  'state=constructor',
  'page=1.5',
])('what makes no sense in an address asks for everything: %s', (text) => {
  const chosen = { text: '', kind: '', namespace: '', connection: '', state: undefined };
  const everything = { ...chosen, sort: 'state', isReversed: false, group: undefined, page: 1 };
  expect(readQuery(new URLSearchParams(text))).toEqual(everything);
});

test('a text of a million characters is cut before anything is compared with it', () => {
  expect(readQuery(new URLSearchParams({ q: 'x'.repeat(1e6) })).text).toHaveLength(200);
});
