// How many objects of one connection may go, leaving or to be replaced, before a person has to say yes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  expiryID,
  isApproved,
  deletionID,
  stricter,
  unreadID,
  whatever,
  withinLimits,
  type DeletionSet,
  type PendingDeletion,
} from '../../../src/core/planning/deletion-limits.ts';

const limits = { perHour: 20, percent: 30 };
const key = (n: number): string => `Toy/shop/t${n}`;
const keys = (count: number, from = 0) => Array.from({ length: count }, (_, n) => key(from + n));
const leaver = (n: number, approved = false): PendingDeletion => ({
  key: key(n),
  id: deletionID({ uid: `u${n}`, generation: 1 }),
  how: 'is deleted',
  approved,
});
const replaced = (n: number, approved = false): PendingDeletion => ({
  key: key(n),
  id: `u${n} 1 is replaced: disk-${n}`,
  how: 'is replaced',
  approved,
});
const parent = { uid: 'r', generation: 3 };
const expiring = (n: number): PendingDeletion => ({
  key: key(n),
  id: expiryID(parent, `2026-01-0${n}T00:00:00Z`),
  how: 'expires',
  approved: false,
});
const leavers = (count: number, approved = 0) =>
  Array.from({ length: count }, (_, n) => leaver(n, n < approved));

/** `total` declared objects, the first of which go; `left` others went within the hour and are declared no more. */
const deletions = (total: number, going: readonly PendingDeletion[], left = 0): DeletionSet => ({
  declared: new Set(keys(total)),
  going,
  gone: keys(left, 1_000),
});

/** The rule that stops them, as its message names it; `within` where none does. */
function ruling(d: DeletionSet): string {
  const verdict = withinLimits(d, limits);
  return verdict.is === 'within' ? 'within' : (/: ([^;,]*).*;/.exec(verdict.message)?.[1] ?? verdict.message);
}

const all = 'the connection would lose all its objects';
const share = 'more than 30 % within an hour';
const hourly = 'more than 20 an hour';

test.for<{ why: string; of: DeletionSet; expect: string }>([
  { why: 'nobody leaves', of: deletions(0, []), expect: 'within' },
  { why: 'one of many', of: deletions(100, leavers(1)), expect: 'within' },
  { why: 'the only one may go', of: deletions(1, leavers(1)), expect: 'within' },
  { why: 'both of two', of: deletions(2, leavers(2)), expect: all },
  { why: 'an emptied directory', of: deletions(1_000, leavers(1_000)), expect: all },
  {
    why: 'all but one of five: the percentage does not apply',
    of: deletions(5, leavers(4)),
    expect: 'within',
  },
  { why: 'from six on it does', of: deletions(6, leavers(2)), expect: share },
  { why: 'one of six is a sixth', of: deletions(6, leavers(1)), expect: 'within' },
  { why: 'exactly the percentage', of: deletions(10, leavers(3)), expect: 'within' },
  { why: 'one more', of: deletions(10, leavers(4)), expect: share },
  { why: 'exactly as many as an hour allows', of: deletions(100, leavers(20)), expect: 'within' },
  { why: 'one more than that', of: deletions(100, leavers(21)), expect: hourly },
  { why: 'those that left before count', of: deletions(100, leavers(1), 20), expect: hourly },
  {
    why: 'one after the other: those that left within the hour count as a share',
    of: deletions(7, leavers(1), 3),
    expect: share,
  },
  {
    why: 'the last of several that left within the hour',
    of: deletions(1, leavers(1), 1),
    expect: all,
  },
  { why: 'slowly, all the same', of: deletions(100, leavers(1), 19), expect: 'within' },
  { why: 'approved ones do not count per hour', of: deletions(100, leavers(25, 5)), expect: 'within' },
  { why: 'approved ones do not count as a share', of: deletions(10, leavers(4, 1)), expect: 'within' },
  { why: 'what was approved may be all', of: deletions(2, leavers(2, 2)), expect: 'within' },
  {
    why: 'approved ones go even when the hour is spent',
    of: deletions(100, leavers(3, 3), 20),
    expect: 'within',
  },
  { why: 'all with one that nobody approved', of: deletions(3, leavers(3, 2)), expect: all },
])('$why: $expect', (row) => {
  expect(ruling(row.of)).toBe(row.expect);
});

describe('what is replaced is destroyed, too, so it counts', () => {
  test.for<{ why: string; of: DeletionSet; expect: string }>([
    {
      why: 'forty of forty disks by one edit',
      of: deletions(
        40,
        keys(40).map((_, n) => replaced(n)),
      ),
      expect: all,
    },
    {
      why: 'together with what leaves: two and two of ten',
      of: deletions(10, [leaver(0), leaver(1), replaced(2), replaced(3)]),
      expect: share,
    },
    {
      why: 'two and one of ten',
      of: deletions(10, [leaver(0), leaver(1), replaced(2)]),
      expect: 'within',
    },
    {
      why: 'half leaves and half is replaced: all',
      of: deletions(2, [leaver(0), replaced(1)]),
      expect: all,
    },
    { why: 'the only one may be replaced', of: deletions(1, [replaced(0)]), expect: 'within' },
  ])('$why: $expect', (row) => {
    expect(ruling(row.of)).toBe(row.expect);
  });

  test.for<{ of: readonly PendingDeletion[]; said: string }>([
    { of: [leaver(0), leaver(1)], said: '2 of 10 objects would be deleted' },
    { of: [replaced(0), replaced(1)], said: '2 of 10 objects would be replaced' },
    { of: [expiring(1), expiring(2)], said: '2 of 10 objects would expire' },
    { of: [expiring(1), replaced(0)], said: '2 of 10 objects would be replaced (1) or would expire (1)' },
    {
      of: [expiring(1), leaver(0), expiring(2)],
      said: '3 of 10 objects would be deleted or would expire (2)',
    },
    {
      of: [leaver(0), replaced(1), replaced(2)],
      said: '3 of 10 objects would be deleted or would be replaced (2)',
    },
  ])('a person is told apart what leaves and what is replaced: $said', ({ of, said }) => {
    const verdict = withinLimits(deletions(10, of), { perHour: 1, percent: 100 });
    expect(verdict).toMatchObject({
      is: 'beyond',
      message: expect.stringMatching(new RegExp(`^${said.replaceAll(/[()]/g, '\\$&')}:`)),
    });
  });
});

describe('those that went within the hour', () => {
  test('count once although they are declared again: a replaced object is still there', () => {
    // Ten objects, three of which were replaced: one more is four of ten, not four of thirteen.
    const of = { declared: new Set(keys(10)), going: [leaver(9)], gone: keys(3) };
    expect(ruling(of)).toBe(share);
    expect(ruling({ ...of, declared: new Set(keys(14)) })).toBe('within'); // four of fourteen
  });

  test('are part of the whole though they are declared no more: else each share would grow by itself', () => {
    expect(ruling(deletions(11, leavers(1), 3))).toBe('within'); // four of fourteen
    expect(ruling(deletions(10, leavers(1), 3))).toBe(share); // four of thirteen
  });

  test('an object that went twice is two that went, and one of the whole', () => {
    const twice = { declared: new Set(keys(10)), going: [leaver(9)], gone: [key(0), key(0), key(0)] };
    expect(ruling(twice)).toBe(share);
  });
});

test('the message says how many, why, what else counts, and what to type', () => {
  const going = leavers(5, 1);
  const digest = digestOf(going);
  expect(digest).toMatch(/^[0-9a-z]{8}$/);
  for (const [left, rule] of [[0, share] as const, [3, `${share}, counting 3 that went before`] as const])
    expect(withinLimits(deletions(10, going, left), limits)).toMatchObject({
      message: `4 of 10 objects would be deleted: ${rule}; to allow it: holdfast approve ${digest}`,
    });
});

const digestOf = (going: readonly PendingDeletion[]): string => {
  const verdict = withinLimits(deletions(going.length, going), { perHour: 0, percent: 0 });
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
    const other = { ...leaver(1), id: deletionID({ uid: 'u9', generation: 1 }) };
    expect(digestOf([other])).not.toBe(digestOf([leaver(1)]));
  });

  test('of another day is another: what came back and leaves again is not what was approved', () => {
    const again = { ...leaver(1), id: deletionID({ uid: 'u1', generation: 2 }) };
    expect(digestOf([again])).not.toBe(digestOf([leaver(1)]));
  });

  test('of a replacement is another: a yes to losing one disk is none to losing the next, or the object', () => {
    const next = { ...replaced(1), id: 'u1 1 is replaced: disk-2' };
    expect(new Set([leaver(1), replaced(1), next].map((one) => digestOf([one]))).size).toBe(3);
  });

  test('leaves out what was approved before', () => {
    expect(digestOf([leaver(1), leaver(2, true)])).toBe(digestOf([leaver(1)]));
  });
});

const someLimits = fc.record({ perHour: fc.nat(30), percent: fc.nat(100) });

test('approving the set that a digest names lets all of it go, whatever the limits', () => {
  fc.assert(
    fc.property(numbers, fc.nat(20), fc.nat(30), someLimits, (ids, staying, left, chosen) => {
      const going = ids.map((n) => (n % 2 === 0 ? leaver(n, n % 3 === 0) : replaced(n, n % 3 === 0)));
      const now = {
        declared: new Set([...keys(staying, 100), ...ids.map(key)]),
        going,
        gone: keys(left, 1_000),
      };
      const approved = going.map((one) => ({ ...one, approved: true }));
      expect(withinLimits({ ...now, going: approved }, chosen)).toEqual({ is: 'within' });
    }),
  );
});

test('a set that may go is never stopped half way: each that went counts as much as before', () => {
  const sizes = fc.record({
    count: fc.integer({ min: 1, max: 30 }),
    staying: fc.nat(30),
    before: fc.nat(20),
  });
  fc.assert(
    fc.property(sizes, fc.nat(30), ({ count, staying, before }, leave) => {
      // The first of them leave, the rest is replaced and stays declared.
      const going = Array.from({ length: count }, (_, n) => (n < leave ? leaver(n) : replaced(n)));
      const verdicts = going.map((_, done) => {
        const went = going.slice(0, done);
        const left = new Set(went.filter(({ how }) => how === 'is deleted').map((one) => one.key));
        const declared = new Set(keys(count + staying).filter((one) => !left.has(one)));
        const gone = [...keys(before, 1_000), ...went.map((one) => one.key)];
        return ruling({ declared, going: going.slice(done), gone });
      });
      fc.pre(verdicts[0] === 'within');
      expect(new Set(verdicts)).toEqual(new Set(['within']));
    }),
  );
});

test('the stricter of two limits allows what both allow, and no more: raising one alone loosens nothing', () => {
  fc.assert(
    fc.property(someLimits, someLimits, numbers, fc.nat(20), (a, b, ids, staying) => {
      const declared = new Set([...keys(staying, 100), ...ids.map(key)]);
      const of = { declared, going: ids.map((n) => leaver(n)), gone: [] };
      const is = (chosen: typeof a) => withinLimits(of, chosen).is === 'within';
      expect(is(stricter(a, b))).toBe(is(a) && is(b));
    }),
  );
});

describe('an approval', () => {
  test('of whatever goes is one for each going, to show what is done once all is approved', () => {
    expect(isApproved(whatever, 'u 1 is deleted')).toBe(true);
  });

  const [id, next] = [1, 2].map((generation) => deletionID({ uid: 'u1', generation }));

  test('is one for the going that it was given for, and for no other', () => {
    expect([isApproved(id, id!), isApproved(next, id!), isApproved(undefined, id!)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('of what leaves although its last manifest could not be used is one of its leaving; not the other way round', () => {
    expect(isApproved(unreadID(id!), id!)).toBe(true);
    expect(isApproved(unreadID(next!), id!)).toBe(false);
    expect(isApproved(id, unreadID(id!))).toBe(false);
  });
});
