// A run whose snapshot could be taken only days later, as it lacked access until then, was the oldest by its run and had the newest data.
// It went as soon as it was ready.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  givenUp,
  nextByAge,
  type Retention,
  type Snapshot,
} from '../../../src/kinds/csi-snapshot-schedule/retention.ts';
import { firstStep, planned, snapshot, type Given } from './situation.ts';

const at = (text: string): number => Date.parse(`2026-05-${text}Z`);
/** @param taken by the provider's clock */
const ready = (name: string, run: string, taken?: string): Snapshot => ({
  name,
  atMs: at(run),
  state: 'ready',
  held: false,
  ...(taken !== undefined && { takenMs: at(taken) }),
});
const now = at('08T12:00:00');
const dayMs = 86_400_000;
const names = (snapshots: readonly Snapshot[], retention: Retention, nowMs = now) =>
  givenUp(snapshots, retention, 'UTC', nowMs).map(({ name }) => name);

const tuesday = ready('tuesday', '05T03:00:00', '05T03:00:02');
const wednesday = ready('wednesday', '06T03:00:00', '06T03:00:02');
const thursday = ready('thursday', '07T03:00:00', '07T03:00:02');
const late = ready('mondays-run-of-friday', '04T03:00:00', '08T11:00:00');

test('what was taken last stays, whatever run it was taken for', () => {
  expect(names([late, wednesday, thursday], { count: 1 })).toEqual(['wednesday']);
  expect(names([late, thursday], { count: 1, minReady: 1 })).toEqual([]);
  expect(names([late, tuesday, wednesday, thursday], { daily: 2 })).toEqual(['tuesday']);
});

test('its age is that of its data', () => {
  expect(names([late, wednesday, thursday], { maxAgeMs: 2 * dayMs })).toEqual(['wednesday']);
  const all = [late, wednesday, thursday, ready('saturday', '09T03:00:00')];
  expect(names(all, { maxAgeMs: dayMs }, at('09T10:59:59'))).toEqual(['wednesday', 'thursday']);
  expect(names(all, { maxAgeMs: dayMs }, at('09T11:00:00'))).toContain(late.name);
  const older = ready('older', '01T03:00:00');
  expect(nextByAge([older, late, thursday], { maxAgeMs: 2 * dayMs }, now)).toBe(at('09T03:00:00'));
});

test('it goes as well, once later data are there', () => {
  const saturday = ready('saturday', '09T03:00:00', '09T03:00:02');
  expect(names([late, thursday, saturday], { count: 1 }, at('09T12:00:00'))).toEqual([late.name, 'thursday']);
});

test.for([
  { why: 'not told', taken: undefined },
  { why: 'yet to come', taken: '08T12:00:01' },
  { why: 'before the run, as of a provider whose clock is behind', taken: '01T00:00:00' },
  { why: 'that of the run, but for a few minutes', taken: '04T03:05:00' },
])('the time of the provider is $why: the run counts', ({ taken }) => {
  const early = ready('monday', '04T03:00:00', taken);
  expect(names([early, thursday], { count: 1 })).toEqual(['monday']);
});

test('it is late from more than five minutes on, and known at once: sooner it may be the clocks that differ', () => {
  const next = ready('next', '04T03:04:00');
  const soon = ready('soon', '04T03:00:00', '04T03:05:00');
  expect(names([soon, next], { count: 1 })).toEqual(['soon']);
  expect(names([{ ...soon, takenMs: at('04T03:05:01') }, next], { count: 1 }, at('04T03:05:01'))).toEqual([]);
});

test('a provider whose clock is wrong gives up nothing that stays by the runs', () => {
  const times = fc.record({ run: fc.nat(96), taken: fc.option(fc.integer({ min: -96, max: 192 })) });
  const rules = fc.record(
    {
      count: fc.integer({ min: 1, max: 5 }),
      daily: fc.integer({ min: 1, max: 3 }),
      maxAgeMs: fc.constant(2 * dayMs),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(times), rules, (given, retention) => {
      const hourMs = 3_600_000;
      const byRun = given.map(({ run }, index): Snapshot => ({
        name: String(index),
        atMs: now - run * hourMs,
        state: 'ready',
        held: false,
      }));
      const told = byRun.map((one, index): Snapshot => {
        const taken = given[index]?.taken ?? null;
        return taken === null ? one : { ...one, takenMs: now - taken * hourMs };
      });
      expect(names(byRun, retention)).toEqual(expect.arrayContaining([...names(told, retention)]));
    }),
  );
});

const recorded = (takenAt?: number): Given => ({
  has: [snapshot('2026-05-07T03:00:00Z', 'ready', {}, undefined, takenAt), snapshot('2026-05-08T03:00:00Z')],
  spec: { retention: { count: 1 } },
});

test('a schedule reads the time of each from what was recorded of it', () => {
  expect(planned(recorded(at('09T11:00:00') / 1_000))).toMatchObject({ verdict: 'in-sync' });
  for (const takenAt of [undefined, 0, at('07T03:00:10') / 1_000])
    expect(firstStep(recorded(takenAt)).summary).toContain('orders-202605070300');
});

test('one that failed takes the place of none that is ready: with a count of two, two that are ready stay', () => {
  const failed: Snapshot = { ...ready('friday', '08T03:00:00'), state: 'failed' };
  expect(names([tuesday, wednesday, failed], { count: 2 })).toEqual([]);
  expect(names([tuesday, wednesday, thursday, failed], { count: 2 })).toEqual(['tuesday']);
});

test('one whose disk is not known is of the disk of the latest that is known: the older one goes', () => {
  const known = { ...wednesday, disk: 'vol-1' };
  expect(names([known, thursday], { count: 1 })).toEqual(['wednesday']);
});
