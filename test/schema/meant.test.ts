// A size or a duration as other tools take it is refused with what it may mean, where that is one.
import * as z from 'zod';
import { expect, test } from 'vitest';
import { shape } from '../../src/schema/problems.ts';
import { duration, quantity } from '../../src/schema/parts.ts';

const spec = z.strictObject({ size: quantity().exactOptional(), span: duration().exactOptional() });
const size =
  'a size in bytes of up to 7Pi: a whole number, alone or with k, M, G, T, P, Ki, Mi, Gi, Ti or Pi';
const span = 'a duration such as 90s, 10m or 1h30m';

function saidOf(value: unknown): readonly string[] {
  const shaped = shape(spec, value, '');
  return 'problems' in shaped ? shaped.problems.map(({ message }) => message) : [];
}

test.for<[input: string, meant: string]>([
  ['1GiB', '1Gi'],
  ['1GB', '1G'],
  ['10 GiB', '10Gi'],
  ['10 Gi', '10Gi'],
  [' 10Gi ', '10Gi'],
  ['1gi', '1Gi'],
  ['1K', '1k'],
  ['500mb', '500M'],
  ['2 Tbytes', '2T'],
  ['2tibyte', '2Ti'],
  ['1024B', '1024'],
  ['1.5Gi', '1536Mi'],
  ['0.5 TB', '500G'],
  ['1.5M', '1500k'],
  ['1.25Pi', '1280Ti'],
])('the size %s: %s', ([input, meant]) => {
  const message = `/size: expected ${size} (did you mean ${meant}?), got ${JSON.stringify(input)}`;
  expect(saidOf({ size: input })).toEqual([message]);
});

test.for([
  '1E',
  '-1Gi',
  '0',
  '0GB',
  '8PiB',
  '1.5',
  '1.5k',
  '1.0001Gi',
  '1,5Gi',
  'Gi',
  'big',
  `${'1'.repeat(50)} GB`,
])('nothing is guessed of the size %s', (input) => {
  expect(saidOf({ size: input })).toEqual([`/size: expected ${size}, got ${JSON.stringify(input)}`]);
});

test.for<[input: string | number, meant: string]>([
  ['1d', '24h'],
  ['1w', '168h'],
  ['2 weeks', '336h'],
  ['1 day 12 hours', '36h'],
  ['24H', '24h'],
  ['1hr', '1h'],
  ['1h 30m', '90m'],
  ['1.5h', '90m'],
  ['30min', '30m'],
  ['90 seconds', '90s'],
  ['30m1h', '90m'],
  ['86400', '86400s'],
  [86_400, '86400s'],
])('the duration %s: %s', ([input, meant]) => {
  const message = `/span: expected ${span} (did you mean ${meant}?), got ${JSON.stringify(input)}`;
  expect(saidOf({ span: input })).toEqual([message]);
});

test.for(['', '0', '0s', '-1h', 'P1D', '500ms', '1h30', '1 month', 'daily', '1.0001s', '1h, 30m', ' 1d'])(
  'nothing is guessed of the duration %s',
  (input) => {
    expect(saidOf({ span: input })).toEqual([`/span: expected ${span}, got ${JSON.stringify(input)}`]);
  },
);

test('what is far too long is not looked at', () => {
  const long = `${' '.repeat(50)}1GB`;
  expect(saidOf({ size: long })).toEqual([`/size: expected ${size}, got ${JSON.stringify(long)}`]);
  expect(saidOf({ span: '1h'.repeat(50) })).toEqual([`/span: expected ${span}, got 100 characters`]);
});

test('quotes are not asked for where they would not help', () => {
  expect(saidOf({ span: 0 })).toEqual([`/span: expected ${span}, got 0`]);
  expect(saidOf({ size: 1.5 })).toEqual([`/size: expected ${size}, got 1.5`]);
});
