import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRecord } from '../../src/core/json.ts';
import { parseShared, shareParts } from '../../src/core/shared-json.ts';

const whole = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));

test('what shares its parts is still equal to what it was, for anything that JSON can say', () => {
  fc.assert(
    fc.property(whole, (text) => {
      const value: unknown = JSON.parse(text);
      shareParts(value);
      expect(value).toEqual(JSON.parse(text));
      expect(JSON.stringify(value)).toBe(text);
    }),
  );
});

test('empty parts are one, at any depth, and frozen: thousands of objects hold them', () => {
  const [one, other]: readonly unknown[] = ['{"a":{},"b":[[],{"c":{}}]}', '[{},[]]'].map((text) => {
    const value: unknown = JSON.parse(text);
    shareParts(value);
    return value;
  });
  if (!isRecord(one) || !Array.isArray(one['b']) || !Array.isArray(other)) throw new Error('lost its shape');
  expect(one['a']).toBe(other[0]);
  expect(one['b'][1].c).toBe(other[0]);
  expect(one['b'][0]).toBe(other[1]);
  expect([Object.isFrozen(other[0]), Object.isFrozen(other[1])]).toEqual([true, true]);
});

test('more texts than are remembered stay what they are', () => {
  const texts = Array.from({ length: 10_000 }, (_, at) => `text ${at % 9_000}`);
  const value: unknown = JSON.parse(JSON.stringify(texts));
  shareParts(value);
  expect(value).toEqual(texts);
});

const sharedOf = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  shareParts(value);
  return value;
};

test('small parts that are equal are one, and frozen: thousands of volumes declare the same capabilities', () => {
  const text = '[{"mode":"a","modes":["x","y"]}]';
  const [one, other] = [sharedOf(`{"a":${text},"id":1}`), sharedOf(`[2,${text}]`)];
  if (!isRecord(one) || !Array.isArray(other)) throw new Error('lost its shape');
  expect(one['a']).toBe(other[1]);
  expect(Object.isFrozen(one['a'])).toBe(true);
});

test('what is large, or holds what is, stays its own: nobody would find its like', () => {
  const large = '{"a":1,"b":2,"c":3}';
  const [one, other] = [sharedOf(`[${large}]`), sharedOf(`[${large}]`)];
  if (!Array.isArray(one) || !Array.isArray(other)) throw new Error('lost its shape');
  expect(one[0]).toEqual(other[0]);
  expect(one[0]).not.toBe(other[0]);
});

test('what was shared before can be shared again: a caller may decode a value twice', () => {
  const value = sharedOf('{"a":{"b":"c"}}');
  shareParts(value);
  expect(value).toEqual({ a: { b: 'c' } });
});

test('equal texts are parsed to one value, which is frozen, and others to their own', () => {
  fc.assert(
    fc.property(whole, (text) => {
      const value = parseShared(text);
      expect(value).toEqual(JSON.parse(text));
      if (typeof value !== 'object' || value === null || text.length > 1_024) return;
      expect(parseShared(text)).toBe(value);
      expect(Object.isFrozen(value)).toBe(true);
    }),
  );
  expect(parseShared('{"a":')).toBeUndefined();
});
