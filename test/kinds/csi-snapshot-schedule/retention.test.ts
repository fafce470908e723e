// Which snapshots go. Each row is a way in which others have deleted a good one, or kept all.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  givenUp,
  nextByAge,
  type Retention,
  type Snapshot,
} from '../../../src/kinds/csi-snapshot-schedule/retention.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 4, 4); // a Monday
type Given = readonly [name: string, hours: number, state?: Snapshot['state'], held?: boolean];
const of = (...given: readonly Given[]): readonly Snapshot[] =>
  given.map(([name, hours, state = 'ready', held = false]) => ({
    name,
    atMs: start + hours * hourMs,
    state,
    held,
  }));
const names = (snapshots: readonly Snapshot[], retention: Retention, hours = 10_000, zone = 'UTC') =>
  givenUp(snapshots, retention, zone, start + hours * hourMs).map(({ name }) => name);

describe('gives up', () => {
  test.each<{
    why: string;
    has: readonly Given[];
    rules: Retention;
    hours?: number;
    goes: readonly string[];
  }>([
    {
      why: 'nothing without a rule',
      has: [
        ['a', 0],
        ['b', 1],
      ],
      rules: {},
      goes: [],
    },
    {
      why: 'what count does not keep, oldest first',
      has: [
        ['c', 2],
        ['a', 0],
        ['b', 1],
      ],
      rules: { count: 1 },
      goes: ['a', 'b'],
    },
    {
      why: 'nothing because of failed ones (snapscheduler#688)',
      has: [
        ['good', 0],
        ['f1', 1, 'failed'],
        ['f2', 2, 'failed'],
        ['f3', 3, 'failed'],
      ],
      rules: { count: 1 },
      goes: [],
    },
    {
      why: 'nothing because of one that is still being taken: it may never be ready',
      has: [
        ['good', 0],
        ['new', 1, 'pending'],
      ],
      rules: { count: 1 },
      goes: [],
    },
    {
      why: 'nothing of which the state is not known, and nothing for its sake',
      has: [
        ['a', 0],
        ['b', 1, 'unknown'],
        ['c', 2, 'unknown'],
      ],
      rules: { count: 1 },
      goes: [],
    },
    { why: 'never the newest, however old', has: [['a', 0]], rules: { maxAgeMs: hourMs }, goes: [] },
    {
      why: 'what is older than maxAge, whatever keeps it, but not below minReady',
      has: [
        ['a', 0],
        ['b', 1],
        ['c', 2],
      ],
      rules: { count: 3, maxAgeMs: dayMs, minReady: 2 },
      goes: ['a'],
    },
    {
      why: 'what is as old as maxAge, not what is younger',
      has: [
        ['a', 0],
        ['b', 1],
        ['c', 2],
      ],
      rules: { maxAgeMs: dayMs },
      hours: 24,
      goes: ['a'],
    },
    {
      why: 'nothing that is held; and a held one takes the place of none',
      has: [
        ['a', 0, 'ready', true],
        ['b', 1],
        ['c', 2, 'ready', true],
        ['d', 3],
      ],
      rules: { count: 1 },
      goes: ['b'],
    },
    {
      why: 'all but the newest of each day, and days without one do not count',
      has: [
        ['mon1', 1],
        ['mon2', 20],
        ['tue', 30],
        ['fri', 100],
      ],
      rules: { daily: 2 },
      goes: ['mon1', 'mon2'],
    },
    {
      why: 'what neither of two tiers keeps: each keeps its own',
      has: [
        ['w1', 0],
        ['w2', 24 * 7],
        ['w3a', 24 * 14],
        ['w3b', 24 * 15],
      ],
      rules: { daily: 1, weekly: 2 },
      goes: ['w1', 'w3a'],
    },
    {
      why: 'by months of the calendar',
      has: [
        ['may', 0],
        ['may31', 24 * 27],
        ['june', 24 * 28],
      ],
      rules: { monthly: 2 },
      goes: ['may'],
    },
    {
      why: 'by hours',
      has: [
        ['a', 0],
        ['b', 0.5],
        ['c', 1],
      ],
      rules: { hourly: 2 },
      goes: ['a'],
    },
  ])('$why', ({ has, rules, hours, goes }) => {
    expect(names(of(...has), rules, hours)).toEqual(goes);
  });

  test('by the days of the schedule’s time zone, not of UTC', () => {
    const has = of(['evening', 21], ['late', 23], ['next', 36]); // 23:00 and 01:00 in Berlin
    expect(names(has, { daily: 3 }, 40, 'UTC')).toEqual(['evening']);
    expect(names(has, { daily: 3 }, 40, 'Europe/Berlin')).toEqual(['late']);
  });

  test('no hour for being there twice, when clocks are put back', () => {
    const autumn = Date.UTC(2026, 9, 25);
    const has = [0, 1, 2].map((h): Snapshot => ({
      name: `h${h}`,
      atMs: autumn + h * hourMs,
      state: 'ready',
      held: false,
    }));
    expect(givenUp(has, { hourly: 3 }, 'Europe/Berlin', autumn + dayMs)).toEqual([]);
  });
});

test.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'])(
  'an hour of %s is one whatever the minute: of a snapshot each five minutes, one an hour stays, and not one each half hour',
  (zone) => {
    const has = Array.from({ length: 12 * 48 }, (_, n): Snapshot => ({
      name: `n${n}`,
      atMs: start + n * 300_000,
      state: 'ready',
      held: false,
    }));
    const gone = new Set(givenUp(has, { hourly: 24 }, zone, start + 48 * hourMs).map(({ name }) => name));
    const kept = has.filter(({ name }) => !gone.has(name)).map(({ atMs }) => atMs);
    expect(kept).toHaveLength(24);
    const apart = kept.slice(1, -1).map((atMs, i) => atMs - (kept[i] ?? 0));
    expect(new Set(apart)).toEqual(new Set([hourMs]));
  },
);

test('says why', () => {
  const has = of(['a', 0], ['b', 1], ['c', 2]);
  expect(givenUp(has, { count: 2 }, 'UTC', start + 2 * hourMs)).toMatchObject([
    { name: 'a', why: 'no rule keeps it' },
  ]);
  expect(givenUp(has, { maxAgeMs: 1.5 * hourMs }, 'UTC', start + 2 * hourMs)).toMatchObject([
    { name: 'a', why: 'it is older than maxAge' },
  ]);
});

test('the next by age is the oldest that may go, and no instant that has passed', () => {
  const has = of(['a', 0], ['b', 5], ['c', 9], ['x', 1, 'failed']);
  const at = (hours: number) => nextByAge(has, { maxAgeMs: dayMs }, start + hours * hourMs);
  expect(at(10)).toBe(start + dayMs);
  expect(at(24)).toBe(start + 25 * hourMs); // one that failed, and that later ones make go
  expect(at(25)).toBe(start + 29 * hourMs);
  expect(at(29)).toBe(Infinity); // the newest stays
  expect(nextByAge(has.toReversed(), { maxAgeMs: dayMs, minReady: 2 }, start + 10 * hourMs)).toBe(
    start + dayMs,
  );
  expect(nextByAge(has, { count: 1 }, start)).toBe(Infinity);
  const waiting = of(['a', 0], ['x', 1, 'failed'], ['y', 2, 'failed']);
  expect(nextByAge(waiting, { maxAgeMs: dayMs }, start + 10 * hourMs)).toBe(Infinity); // none of them makes another go
});

describe('whatever there is and whatever the rules', () => {
  const rule = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });
  const rules = fc
    .record({
      count: rule,
      hourly: rule,
      daily: rule,
      weekly: rule,
      monthly: rule,
      minReady: rule,
      maxAgeMs: fc.option(fc.integer({ min: 1, max: 90 * dayMs }), { nil: undefined }),
    })
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, v]) => v !== undefined)) as Retention);
  const snapshots = fc
    .array(
      fc.record({
        hours: fc.integer({ min: 0, max: 24 * 100 }),
        state: fc.constantFrom<Snapshot['state']>('ready', 'ready', 'ready', 'pending', 'failed', 'unknown'),
        held: fc.constantFrom(false, false, false, true),
      }),
      { maxLength: 30 },
    )
    .map((made) =>
      made.map(({ hours, ...one }, i): Snapshot => ({ ...one, name: `s${i}`, atMs: start + hours * hourMs })),
    );
  const nowMs = start + 24 * 101 * hourMs;
  const zone = 'America/New_York';

  test('only ready and failed ones go that nobody holds; the newest and minReady of the ready ones stay', () => {
    fc.assert(
      fc.property(snapshots, rules, (has, retention) => {
        const going = new Set(givenUp(has, retention, zone, nowMs).map(({ name }) => name));
        for (const one of has.filter(({ name }) => going.has(name))) {
          expect(one.held).toBe(false);
          expect(['ready', 'failed']).toContain(one.state);
        }
        const ready = has.filter(({ state, held }) => state === 'ready' && !held);
        const left = ready.filter(({ name }) => !going.has(name));
        expect(left.length).toBeGreaterThanOrEqual(Math.min(ready.length, retention.minReady ?? 1));
        const newest = Math.max(...ready.map(({ atMs }) => atMs));
        if (ready.length > 0) expect(left.some(({ atMs }) => atMs === newest)).toBe(true);
      }),
    );
  });

  test('nothing more goes once that went, what is not ready changes nothing, and what failed goes as if it alone were ready', () => {
    fc.assert(
      fc.property(snapshots, rules, (has, retention) => {
        const gone = givenUp(has, retention, zone, nowMs);
        const left = has.filter((one) => !gone.some(({ name }) => name === one.name));
        expect(givenUp(left, retention, zone, nowMs)).toEqual([]);
        const counted = has.filter(({ state, held }) => state === 'ready' && !held);
        const failed = has.filter(({ state }) => state === 'failed');
        const goes = (all: readonly Snapshot[]) =>
          givenUp(all, retention, zone, nowMs).map(({ name }) => name);
        const alone = failed.filter(({ name, ...one }) =>
          goes([...counted, { ...one, name, state: 'ready' }]).includes(name),
        );
        const expected = new Set([...goes(counted), ...alone.map(({ name }) => name)]);
        expect(new Set(gone.map(({ name }) => name))).toEqual(expected);
        expect(gone.map(({ atMs }) => atMs)).toEqual(gone.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
      }),
    );
  });
});
