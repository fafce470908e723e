// When runs are: each row is a promise to whoever reads a schedule at three in the morning.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { msOf, textOf } from '../../../src/kinds/csi-snapshot-schedule/instants.ts';
import { delayOf, dueRun, timetableOf } from '../../../src/kinds/csi-snapshot-schedule/runs.ts';

const at = (text: string): number => msOf(text) ?? Number.NaN;
function table(schedule: string, timeZone = 'UTC') {
  const made = timetableOf(schedule, timeZone);
  if (typeof made === 'string') throw new Error(made);
  return made;
}
function runsOf(schedule: string, timeZone: string, from: string, count: number): readonly string[] {
  const found: string[] = [];
  for (let ms = table(schedule, timeZone).next(at(from)); ms !== undefined && found.length < count;) {
    found.push(textOf(ms));
    ms = table(schedule, timeZone).next(ms);
  }
  return found;
}
const berlin = 'Europe/Berlin';

describe('daylight saving', () => {
  test.each([
    {
      why: 'a time that does not exist runs when the gap ends: a night without a snapshot would be a surprise',
      schedule: '30 2 * * *',
      from: '2026-03-28T12:00:00Z',
      runs: ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z'],
    },
    {
      why: 'a time that exists twice runs the first time, once',
      schedule: '30 2 * * *',
      from: '2026-10-24T12:00:00Z',
      runs: ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
    },
    {
      why: 'several times within an hour that does not exist are left out that day, as the documentation says',
      schedule: '0,30 2 * * *',
      from: '2026-03-28T12:00:00Z',
      runs: ['2026-03-30T00:00:00Z', '2026-03-30T00:30:00Z'],
    },
    {
      why: 'every hour means every hour, also the one that exists twice',
      schedule: '0 * * * *',
      from: '2026-10-24T23:30:00Z',
      runs: ['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00Z'],
    },
    {
      why: 'and none is added for the one that is left out',
      schedule: '0 * * * *',
      from: '2026-03-29T00:30:00Z',
      runs: ['2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z'],
    },
  ])('$why', ({ schedule, from, runs }) => {
    expect(runsOf(schedule, berlin, from, runs.length)).toEqual(runs);
  });
});

describe('the last run', () => {
  test('is that of the walk from one to the next: halving must not find another', () => {
    const schedules = ['0 * * * *', '30 2 * * *', '*/7 1-4 * * *', '0 3 * * 0', '15 2 28-31 * *'];
    const hours = fc.integer({ min: 0, max: 24 * 366 });
    const minutes = fc.integer({ min: 0, max: 60 * 24 * 9 });
    fc.assert(
      fc.property(fc.constantFrom(...schedules), hours, minutes, (schedule, hour, length) => {
        const one = table(schedule, berlin);
        const from = at('2026-01-01T00:00:00Z') + hour * 3_600_000;
        const until = from + length * 60_000;
        let last: number | undefined;
        for (let ms = one.next(from); ms !== undefined && ms <= until; ms = one.next(ms)) last = ms;
        expect(one.last(from, until)).toBe(last);
      }),
      { numRuns: 60 },
    );
  });

  test('of a year of minutes is found at once: a process that was away so long must not stand still', () => {
    const one = table('* * * * *');
    expect(one.last(at('2025-11-01T00:00:00Z'), at('2026-11-01T00:00:30Z'))).toBe(at('2026-11-01T00:00:00Z'));
  });

  test('of a date that never comes is none', () => {
    const never = table('0 0 31 2 *');
    expect(never.next(0)).toBeUndefined();
    expect(never.last(0, at('2026-01-01T00:00:00Z'))).toBeUndefined();
  });
});

describe('a run', () => {
  const daily = table('0 3 * * *');
  const minute = 60_000;
  const base = { handledMs: at('2026-05-01T03:00:00Z'), delayMs: 0 };
  test.each([
    { why: 'is not due before its time', now: '2026-05-02T02:59:59Z', due: { is: 'none' } },
    {
      why: 'is handled at the very instant that was recorded',
      now: '2026-05-01T03:00:00Z',
      due: { is: 'none' },
    },
    {
      why: 'is due at its time',
      now: '2026-05-02T03:00:00Z',
      due: { is: 'due', at: '2026-05-02T03:00:00Z' },
    },
    {
      why: 'starts later by the jitter of its object',
      now: '2026-05-02T03:04:59Z',
      more: { delayMs: 5 * minute },
      due: { is: 'none' },
    },
    {
      why: 'that was missed is made up for within its deadline',
      now: '2026-05-02T03:10:00Z',
      more: { deadlineMs: 10 * minute },
      due: { is: 'due', at: '2026-05-02T03:00:00Z' },
    },
    {
      why: 'that was missed by more is passed over',
      now: '2026-05-02T03:10:01Z',
      more: { deadlineMs: 10 * minute },
      due: { is: 'missed', at: '2026-05-02T03:00:00Z' },
    },
    {
      why: 'has as long from its start as others: the jitter is not part of the deadline',
      now: '2026-05-02T03:15:00Z',
      more: { deadlineMs: 10 * minute, delayMs: 5 * minute },
      due: { is: 'due', at: '2026-05-02T03:00:00Z' },
    },
    {
      why: 'stands for all that were missed: the data of then is gone, one snapshot of now is as good as ten',
      now: '2026-05-09T12:00:00Z',
      due: { is: 'due', at: '2026-05-09T03:00:00Z' },
    },
    {
      why: 'is not started again when the clock is set back; what the clock says then counts',
      now: '2026-04-30T12:00:00Z',
      due: { is: 'set-back' },
    },
    {
      why: 'is started once when the clock jumps ahead by years',
      now: '2031-05-02T03:00:10Z',
      due: { is: 'due', at: '2031-05-02T03:00:00Z' },
    },
  ])('$why', ({ now, more, due }) => {
    const { at: of, ...rest } = { at: undefined, ...due };
    expect(dueRun(daily, { ...base, nowMs: at(now), ...more })).toEqual(
      of === undefined ? rest : { ...rest, atMs: at(of) },
    );
  });
});

test('the jitter of an object is the same in every process, and spreads objects', () => {
  const delays = Array.from({ length: 50 }, (_, i) => delayOf(`uid-${i}`, 600_000));
  expect(delays).toEqual(Array.from({ length: 50 }, (_, i) => delayOf(`uid-${i}`, 600_000)));
  expect(delays.every((ms) => ms >= 0 && ms < 600_000)).toBe(true);
  expect(Math.max(...delays)).toBeGreaterThan(300_000);
  expect(delays.every((ms) => ms % 1_000 === 0)).toBe(true);
  expect(new Set(delays).size).toBeGreaterThan(40);
});

test.each([
  { schedule: '61 * * * *', timeZone: 'UTC', says: /^\/schedule: Invalid .*minute: 61/ },
  { schedule: '0 0 0 * * *', timeZone: 'UTC', says: /^\/schedule: .*5 parts/ },
  { schedule: '0 0 * * *', timeZone: 'Mars/Olympus', says: /^\/timeZone: .* Mars\/Olympus$/ },
])('what can not be used says why, and in which field: $says', ({ schedule, timeZone, says }) => {
  expect(timetableOf(schedule, timeZone)).toMatch(says);
});
