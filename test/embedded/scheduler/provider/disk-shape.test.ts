import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capacityFor, placeFor } from '../../../../src/embedded/scheduler/provider/disk-shape.ts';
import { humanBytes, multiError } from '../../../../src/embedded/http/error-texts.ts';

const mebibyte = 1024 * 1024;
const bytes = fc.oneof(
  fc.constantFrom(0, 0, 1, mebibyte - 1, mebibyte),
  fc.nat(2 ** 31),
  fc.nat(4).map((n) => n * mebibyte),
  fc.maxSafeNat(),
);

describe('the size of a disk', () => {
  test('is whole MiB within what is asked for, or there is no such size', () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, (min, max, source) => {
        const size = capacityFor(min, max, source);
        const least = Math.max(min, source, 1);
        const most = max === 0 ? Infinity : max;
        const smallest = Math.ceil(least / mebibyte) * mebibyte;
        expect(size === undefined).toBe(smallest > most);
        if (size === undefined) return;
        expect([size % mebibyte, size >= least, size <= most]).toEqual([0, true, true]);
        if (min > 0) expect(size).toBe(smallest);
      }),
    );
  });

  test('is 1 GiB where nothing is asked for, or what is allowed', () => {
    expect(capacityFor(0, mebibyte - 1, 0)).toBe(undefined);
    expect([capacityFor(0, 0, 0), capacityFor(0, 5 * mebibyte + 1, 0)]).toEqual([
      1024 * mebibyte,
      5 * mebibyte,
    ]);
  });
});

describe('the place of a disk', () => {
  const [a, b, c] = [
    { zone: 'a', rack: '1' },
    { zone: 'b', rack: '1' },
    { zone: 'c', rack: '1' },
  ];
  test.each([
    { request: null, gives: a, why: 'nothing is asked for: the first' },
    { request: { Required: [{ zone: 'b' }], Preferred: [] }, gives: b, why: 'where it has to be' },
    {
      request: { Required: [{ zone: 'z' }, { zone: 'c' }], Preferred: [] },
      gives: c,
      why: 'one of where it may be',
    },
    {
      request: { Required: [], Preferred: [{ zone: 'z' }, { zone: 'c' }] },
      gives: c,
      why: 'where it is wanted',
    },
    {
      request: { Required: [{ zone: 'a' }], Preferred: [{ zone: 'c' }] },
      gives: a,
      why: 'may goes before wanted',
    },
    {
      request: { Required: [{ zone: 'a', rack: '2' }], Preferred: [] },
      gives: undefined,
      why: 'all segments count',
    },
    {
      request: { Required: [{ constructor: 'x' }], Preferred: [] },
      gives: undefined,
      why: 'own segments count',
    },
  ])('$why', ({ request, gives }) => {
    expect(placeFor([a, b, c], request)).toEqual(gives);
  });
});

describe('texts', () => {
  test('sizes are in decimal units with one digit below ten', () => {
    const sizes = [0, 9, 10, 999, 1_000, 9_949, 10_000, 5_242_880, 20_971_520, 1.5e12];
    const texts = ['0 B', '9 B', '10 B', '999 B', '1.0 kB', '9.9 kB', '10 kB', '5.2 MB', '21 MB', '1.5 TB'];
    expect(sizes.map(humanBytes)).toEqual(texts);
  });

  test('several errors are a list that ends in an empty line', () => {
    expect(multiError(['a'])).toBe('1 error occurred:\n\t* a\n\n');
    expect(multiError(['a', 'b'])).toBe('2 errors occurred:\n\t* a\n\t* b\n\n');
  });
});
