import fc from 'fast-check';
import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import {
  bytes,
  clusterSecretKeyRef,
  duration,
  envelope,
  line,
  mapOf,
  name,
  pointer,
  policyOf,
  quantity,
  secretKeyRef,
  toMs,
} from '../../src/schema/parts.ts';

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

describe('quantity and bytes', () => {
  test.each([
    { size: 1, is: 1, why: 'a whole number is bytes' },
    { size: '1073741824', is: 2 ** 30, why: 'a quoted number is bytes too' },
    { size: '10Gi', is: 10 * 2 ** 30, why: 'binary suffixes count by 1024' },
    { size: '500M', is: 500e6, why: 'decimal suffixes count by 1000' },
    { size: '1k', is: 1000, why: 'k is lower-case, as Kubernetes has it' },
    { size: '3Ki', is: 3072, why: 'Ki is not' },
    { size: '1024Ti', is: 2 ** 50, why: 'four digits of Ti are still a size' },
    { size: '7Pi', is: 7 * 2 ** 50, why: 'the largest' },
    { size: 7 * 2 ** 50, is: 7 * 2 ** 50, why: 'the largest, as a number' },
    { size: '7999Ti', is: 7999 * 2 ** 40, why: 'the largest Ti stays exact' },
    { size: '7999999999999Ki', is: 7999999999999 * 1024, why: 'the largest Ki stays exact' },
  ])('$size: $why', ({ size, is }) => {
    expect(accepts(quantity(), size)).toBe(true);
    expect(bytes(size)).toBe(is);
    expect(Number.isSafeInteger(bytes(size))).toBe(true);
  });

  test.each([
    { size: '8Pi', why: '2^53 can not be told from its neighbour' },
    { size: '9999Ti', why: 'above 2^53' },
    { size: 2 ** 53, why: 'above 2^53' },
    { size: 0, why: 'no volume has no bytes' },
    { size: '0', why: 'no volume has no bytes' },
    { size: '010Gi', why: 'a leading zero may mean octal to somebody' },
    { size: -1, why: 'below nothing' },
    { size: 1.5, why: 'half a byte' },
    { size: '1.5Gi', why: 'fractions are not carried' },
    { size: '1e9', why: 'exponents are not carried' },
    { size: '1K', why: 'K is no suffix of Kubernetes' },
    { size: '10 Gi', why: 'a space' },
    { size: '10GB', why: 'GB is no suffix of Kubernetes' },
    { size: 'Gi', why: 'no number' },
    { size: '10Gi\n', why: 'a line end' },
    { size: '10constructor', why: 'a property of every object is no suffix' },
    { size: Number.NaN, why: 'YAML has .nan' },
    { size: Number.POSITIVE_INFINITY, why: 'YAML has .inf' },
    { size: null, why: 'YAML has null' },
  ])('$size is refused: $why', ({ size }) => {
    expect(accepts(quantity(), size)).toBe(false);
  });

  test('whatever is accepted is a safe, positive number of bytes', () => {
    const suffix = fc.constantFrom('', 'k', 'M', 'G', 'T', 'P', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'E', 'm');
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n }), fc.nat(17), suffix, (number, cut, unit) => {
        const size = `${number.toString().slice(0, cut)}${unit}`;
        fc.pre(accepts(quantity(), size));
        expect(Number.isSafeInteger(bytes(size)) && bytes(size) > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('every whole number of a suffix up to 7Pi is accepted, so that no size in use is refused', () => {
    const units = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.entries(units)),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ([unit, of], share) => {
          const count = Math.max(1, Math.floor(((7 * 2 ** 50) / of) * share));
          expect(accepts(quantity(), `${count}${unit}`)).toBe(true);
        },
      ),
    );
  });
});

describe('duration and toMs', () => {
  test.each([
    { span: '90s', is: 90_000 },
    { span: '10m', is: 600_000 },
    { span: '1h30m', is: 5_400_000 },
    { span: '1h0m0s', is: 3_600_000 },
    { span: '2h5s', is: 7_205_000 },
    { span: '99999h', is: 99_999 * 3_600_000 },
  ])('$span', ({ span, is }) => {
    expect(accepts(duration(), span)).toBe(true);
    expect(toMs(span)).toBe(is);
  });

  test.each([
    { span: '', why: 'nothing' },
    { span: '0s', why: 'no time at all would be a busy loop' },
    { span: '0h0m0s', why: 'no time at all' },
    { span: '10', why: 'no unit' },
    { span: '1.5h', why: 'a fraction' },
    { span: '500ms', why: 'below a second' },
    { span: '30m1h', why: 'the wrong way round' },
    { span: '-10m', why: 'into the past' },
    { span: '1d', why: 'Go has no days' },
    { span: '100000h', why: 'beyond the bound' },
    { span: 600, why: 'a number has no unit' },
  ])('$span is refused: $why', ({ span }) => {
    expect(accepts(duration(), span)).toBe(false);
  });
});

describe('names', () => {
  const { externalName } = envelope(['Retain']);
  test.each([
    { schema: externalName, good: ['a', 'app-data', 'App_Data.1', 'a.b.c', 'a.', '0'], of: 'externalName' },
    { schema: name, good: ['a', 'a-b', '0', 'a'.repeat(63)], of: 'name' },
    { schema: pointer, good: ['/topology', '/create/capacity/min'], of: 'pointer' },
    { schema: line(4), good: ['a', 'a b', 'äöü', '= ,'], of: 'line' },
  ])('$of accepts what people use', ({ schema, good }) => {
    expect(good.filter((value) => !accepts(schema, value))).toStrictEqual([]);
  });

  const traversals = ['.', '..', '../x', 'a/b', '/a', 'a/', 'a..b', 'a/../b', '..%2f', 'a%2fb', 'a\\b'];
  const others = [
    '',
    'a b',
    ' a',
    'a?b',
    'a#b',
    'a\nb',
    'a\u0000',
    '-a',
    '_a',
    'ä',
    'a\u202e',
    'x'.repeat(129),
  ];
  test.each([...traversals, ...others])('externalName %j is refused: it goes into a URL path', (value) => {
    expect(accepts(externalName, value)).toBe(false);
  });

  test.each(['', 'A', 'a.b', '-a', 'a-', 'a_b', 'a/b', 'a'.repeat(64), '__proto__', 'a\n'])(
    'name %j is refused: it is no DNS label',
    (value) => {
      expect(accepts(name, value)).toBe(false);
    },
  );

  test.each(['a\nb', 'a\u0000', '\u007f', '\u0085', '', 'abcde'])(
    'line %j is refused: it would break a log or a header',
    (value) => {
      expect(accepts(line(4), value)).toBe(false);
    },
  );

  test.each(['topology', '/', '//', '/a/', ''])('pointer %j is refused', (value) => {
    expect(accepts(pointer, value)).toBe(false);
  });

  test.each(['.', '..', '..a', 'a/b', '', 'a b'])(
    'key of a Secret %j is refused: it becomes a file name',
    (key) => {
      expect(accepts(secretKeyRef(), { name: 'a', key })).toBe(false);
    },
  );

  test('a namespace is for cluster-scoped kinds only: elsewhere it would reach into another tenant', () => {
    const ref = { namespace: 'holdfast-system', name: 'my.secret', key: '.dockerconfigjson' };
    expect(accepts(clusterSecretKeyRef(), ref)).toBe(true);
    expect(accepts(secretKeyRef(), ref)).toBe(false);
  });
});

describe('mapOf', () => {
  const map = mapOf(z.string(), { entries: 2, key: 3, form: { pattern: /^[a-z]+$/, expected: 'letters' } });
  test.each([
    { value: { a: 'x', abc: 'y' }, ok: true, why: 'within both bounds' },
    { value: {}, ok: true, why: 'an empty map is a map' },
    { value: { a: 'x', b: 'x', c: 'x' }, ok: false, why: 'too many entries' },
    { value: { abcd: 'x' }, ok: false, why: 'a key too long' },
    { value: { '': 'x' }, ok: false, why: 'an empty key' },
    { value: { A: 'x' }, ok: false, why: 'a key of another form' },
    { value: { a: 1 }, ok: false, why: 'a value of another type' },
    { value: ['x'], ok: false, why: 'a list' },
  ])('$why', ({ value, ok }) => {
    expect(accepts(map, value)).toBe(ok);
  });
});

describe('policyOf', () => {
  test('says only what the spec says, so that connection and kind can still speak', () => {
    expect(policyOf({})).toStrictEqual({});
    expect(policyOf({ drift: {} })).toStrictEqual({ drift: {} });
    expect(policyOf({ suspend: false })).toStrictEqual({ suspend: false });
  });

  test('carries every policy over', () => {
    expect(
      policyOf({
        managementPolicy: 'ObserveOnly',
        adoptionPolicy: 'Adopt',
        deletionPolicy: 'Delete',
        replacePolicy: 'WhenUnused',
        drift: { mode: 'Warn', interval: '1h30m', ignore: ['/topology'] },
        suspend: true,
      }),
    ).toStrictEqual({
      management: 'ObserveOnly',
      adoption: 'Adopt',
      deletion: 'Delete',
      replace: 'WhenUnused',
      drift: { mode: 'Warn', intervalMs: 5_400_000, ignore: ['/topology'] },
      suspend: true,
    });
  });
});
