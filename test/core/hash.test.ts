import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonical, shortHash } from '../../src/core/hash.ts';
import type { Json } from '../../src/core/secret.ts';
import { json, reordered } from '../support/arbitraries.ts';

test('two values have one canonical text exactly when they are equal', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(canonical(a) === canonical(b)).toBe(isDeepStrictEqual(a, b));
    }),
    {
      examples: [
        [JSON.parse('{"__proto__":{}}'), {}],
        [
          [1, 2],
          [2, 1],
        ],
        ['1', 1],
        [null, 'null'],
      ],
    },
  );
});

test("the order of keys is nobody's intention", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), json, (object, other) => {
      expect(canonical([reordered(object), other])).toBe(canonical([object, other]));
    }),
  );
});

test('a canonical text is JSON again, and absent is none', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(isDeepStrictEqual(JSON.parse(canonical(value)), value)).toBe(true); // expect() mistakes __proto__
    }),
  );
  expect(canonical(undefined)).toBe('absent');
});

test('a hash is eight characters that may stand in a name', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(shortHash(value)).toMatch(/^[0-9a-z]{8}$/);
    }),
  );
});

test('a hash follows the value and nothing else', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(shortHash(a) === shortHash(b)).toBe(isDeepStrictEqual(a, b));
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (object) => {
      expect(shortHash(reordered(object))).toBe(shortHash(object));
    }),
  );
});

// Worked out apart from the code: FNV-1a, 64 bits, of the canonical text's UTF-8 bytes, in base 36, last eight digits.
test.for<{ why: string; value: Json; hash: string }>([
  { why: 'a text', value: 'a', hash: 'r2ri9u5m' },
  { why: 'beyond ASCII', value: 'é', hash: 's2309rnd' },
  {
    why: 'what a volume is named after',
    value: { pluginID: 'ebs0', parameters: { type: 'gp3' }, topology: null },
    hash: 'n5vo1oxj',
  },
])('external objects are named by these hashes, so they never change: $why', ({ value, hash }) => {
  expect(shortHash(value)).toBe(hash);
});
