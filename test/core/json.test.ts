import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRecord, shareParts } from '../../src/core/json.ts';

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
