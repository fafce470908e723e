// How many objects of one connection may leave before a person has to say yes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withinLimits, type Departures, type Leaver } from '../../src/core/deletion.ts';

const limits = { perHour: 20, percent: 30 };
const leaver = (n: number, approved = false): Leaver => ({ key: `Toy/shop/t${n}`, uid: `u${n}`, approved });
const leavers = (count: number, approved = 0): readonly Leaver[] =>
  Array.from({ length: count }, (_, n) => leaver(n, n < approved));

const departures = (total: number, leaving: readonly Leaver[], leftLastHour = 0): Departures => ({
  total,
  leaving,
  leftLastHour,
});

/** The rule that stops them, as its message names it; `within` where none does. */
function ruling(d: Departures): string {
  const verdict = withinLimits(d, limits);
  return verdict.is === 'within' ? 'within' : (/: (.*);/.exec(verdict.message)?.[1] ?? verdict.message);
}

const all = 'the connection would lose all its objects';
const share = 'more than 30 % within an hour';
const hourly = 'more than 20 an hour';

test.for<{ why: string; of: Departures; expect: string }>([
  { why: 'nobody leaves', of: departures(0, []), expect: 'within' },
  { why: 'one of many', of: departures(100, leavers(1)), expect: 'within' },
  { why: 'the only one may go', of: departures(1, leavers(1)), expect: 'within' },
  { why: 'both of two', of: departures(2, leavers(2)), expect: all },
  { why: 'an emptied directory', of: departures(1_000, leavers(1_000)), expect: all },
  {
    why: 'all but one of five: the percentage does not apply',
    of: departures(5, leavers(4)),
    expect: 'within',
  },
  { why: 'from six on it does', of: departures(6, leavers(2)), expect: share },
  { why: 'one of six is a sixth', of: departures(6, leavers(1)), expect: 'within' },
  { why: 'exactly the percentage', of: departures(10, leavers(3)), expect: 'within' },
  { why: 'one more', of: departures(10, leavers(4)), expect: share },
  { why: 'exactly as many as an hour allows', of: departures(100, leavers(20)), expect: 'within' },
  { why: 'one more than that', of: departures(100, leavers(21)), expect: hourly },
  { why: 'those that left before count', of: departures(100, leavers(1), 20), expect: hourly },
  {
    why: 'one after the other: those that left within the hour count as a share',
    of: departures(7, leavers(1), 3),
    expect: share,
  },
  { why: 'the last of several that left within the hour', of: departures(1, leavers(1), 1), expect: all },
  { why: 'slowly, all the same', of: departures(100, leavers(1), 19), expect: 'within' },
  { why: 'approved ones do not count per hour', of: departures(100, leavers(25, 5)), expect: 'within' },
  { why: 'approved ones do not count as a share', of: departures(10, leavers(4, 1)), expect: 'within' },
  { why: 'what was approved may be all', of: departures(2, leavers(2, 2)), expect: 'within' },
  {
    why: 'approved ones go even when the hour is spent',
    of: departures(100, leavers(3, 3), 20),
    expect: 'within',
  },
  { why: 'all with one that nobody approved', of: departures(3, leavers(3, 2)), expect: all },
])('$why: $expect', (row) => {
  expect(ruling(row.of)).toBe(row.expect);
});

test('the message says how many, why, and what to type', () => {
  const verdict = withinLimits(departures(10, leavers(5, 1)), limits);
  if (verdict.is === 'within') throw new Error('within');
  expect(verdict.digest).toMatch(/^[0-9a-z]{8}$/);
  expect(verdict.message).toBe(
    `4 of 10 objects are leaving: more than 30 % within an hour; to let them go: holdfast approve ${verdict.digest}`,
  );
});

const digestOf = (leaving: readonly Leaver[]): string => {
  const verdict = withinLimits(departures(leaving.length, leaving), { perHour: 0, percent: 0 });
  return verdict.is === 'beyond' ? verdict.digest : 'none';
};

const numbers = fc.uniqueArray(fc.nat(50), { minLength: 1, maxLength: 8 });

describe('a digest', () => {
  test('names a set: in which order its objects leave is chance', () => {
    const shuffled = numbers.chain((ids) =>
      fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, { minLength: ids.length })),
    );
    fc.assert(
      fc.property(shuffled, ([ids, others]) => {
        expect(digestOf(others.map((n) => leaver(n)))).toBe(digestOf(ids.map((n) => leaver(n))));
      }),
    );
  });

  test('of another set is another: approving three does not let a fourth go', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const same = a.length === b.length && a.every((n) => b.includes(n));
        expect(digestOf(a.map((n) => leaver(n))) === digestOf(b.map((n) => leaver(n)))).toBe(same);
      }),
    );
  });

  test('of the same name in another life is another', () => {
    expect(digestOf([{ ...leaver(1), uid: 'u9' }])).not.toBe(digestOf([leaver(1)]));
  });

  test('leaves out what was approved before', () => {
    expect(digestOf([leaver(1), leaver(2, true)])).toBe(digestOf([leaver(1)]));
  });
});

test('approving the set that a digest names lets all of it go, whatever the limits', () => {
  const someLimits = fc.record({ perHour: fc.nat(30), percent: fc.nat(100) });
  fc.assert(
    fc.property(numbers, fc.nat(20), fc.nat(30), someLimits, (ids, staying, leftLastHour, chosen) => {
      const leaving = ids.map((n) => leaver(n, n % 3 === 0));
      const now = departures(leaving.length + staying, leaving, leftLastHour);
      const approved = leaving.map((l) => ({ ...l, approved: true }));
      expect(withinLimits({ ...now, leaving: approved }, chosen)).toEqual({ is: 'within' });
    }),
  );
});

test('a set that may leave is never stopped half way: each that has left counts as much as before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(30), fc.nat(20), (count, staying, before) => {
      const verdicts = Array.from({ length: count }, (_, gone) =>
        ruling(departures(count - gone + staying, leavers(count).slice(gone), before + gone)),
      );
      fc.pre(verdicts[0] === 'within');
      expect(new Set(verdicts)).toEqual(new Set(['within']));
    }),
  );
});
