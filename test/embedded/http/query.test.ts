import { describe, expect, test } from 'vitest';
import {
  parseBoolean,
  parseDurationMs,
  perPage,
  uuidPrefix,
  wholeUuid,
} from '../../../src/embedded/http/query.ts';

describe('query values', () => {
  test.each([
    { text: '10s', ms: 10_000, why: 'seconds' },
    { text: '1h30m', ms: 5_400_000, why: 'units add up' },
    { text: '1.5s', ms: 1_500, why: 'fractions' },
    { text: '.5s', ms: 500, why: 'without a leading nought' },
    { text: '250ms', ms: 250, why: 'milliseconds are no minutes' },
    { text: '2µs', ms: 0.002, why: 'micro sign' },
    { text: '-3s', ms: -3_000, why: 'a sign' },
    { text: '0', ms: 0, why: 'nought needs no unit' },
    { text: '10', ms: undefined, why: 'a number needs one' },
    { text: '', ms: undefined, why: 'nothing is no duration' },
    { text: '1d', ms: undefined, why: 'Go has no days' },
    { text: '10s ', ms: undefined, why: 'nothing around it' },
    { text: '.s', ms: undefined, why: 'a dot is no number' },
  ])('duration "$text": $why', ({ text, ms }) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  test('booleans are those that Go takes', () => {
    const texts = ['1', 'TRUE', 't', '0', 'False', 'f', 'yes', 'tRUE', '', 'constructor'];
    const values = [true, true, true, false, false, false, undefined, undefined, undefined, undefined];
    expect(texts.map(parseBoolean)).toEqual(values);
  });

  test.each([
    { text: 'ab-cd', gives: 'abcd', why: 'hyphens are left out' },
    { text: 'AB', gives: 'ab', why: 'in lower case' },
    { text: 'abc', gives: 'x: index error: Input (without hyphens) must be even length', why: 'bytes' },
    { text: 'zz', gives: 'x: index error: Invalid UUID', why: 'in hexadecimal' },
    {
      text: 'a-b-c-d-e-f',
      gives: 'x: index error: UUID should have maximum of 4 -; got 5',
      why: 'a UUID has four',
    },
  ])('UUID prefix $text: $why', ({ text, gives }) => {
    const result = () => uuidPrefix(text, 'x', 500);
    if (gives.startsWith('x:')) expect(result).toThrow(gives);
    else expect(result()).toBe(gives);
  });

  test('a whole UUID has its length and its hyphens', () => {
    const uuid = '0b5f2a6e-3c1d-4e7a-9f10-5a2b8c7d6e01';
    expect(wholeUuid(uuid.toUpperCase(), 'x', 400)).toBe(uuid);
    expect(() => wholeUuid(uuid.replaceAll('-', '0'), 'x', 400)).toThrow('UUID must be 36 characters');
  });

  test('pages: none and nought are everything', () => {
    const sizes = ['', 'per_page=', 'per_page=0', 'per_page=-1', 'per_page=7'];
    expect(sizes.map((q) => perPage(new URLSearchParams(q)))).toEqual([0, 0, 0, 0, 7]);
  });
});
