// CSISnapshotSchedule: when its runs are. The date of this machine counts here and nowhere else: cron means dates
// (docs/decisions/0027-snapshots-by-schedule.md). PURE.
import { Cron } from 'croner';
import { shortHash } from '../../core/hash.ts';

const minuteMs = 60_000;
/** A leap year and its neighbours: what has no run in so long has none. */
const longestMs = 9 * 366 * 86_400_000;

export interface Timetable {
  /** The first run after an instant. */
  next(afterMs: number): number | undefined;
  /** The last run after one instant, up to and including another. */
  last(afterMs: number, untilMs: number): number | undefined;
}

/** @returns what is wrong with it, as text */
export function timetableOf(schedule: string, timeZone: string): Timetable | string {
  try {
    const cron = new Cron(schedule, { timezone: timeZone, mode: '5-part' });
    const next = (afterMs: number): number | undefined =>
      // oxlint-disable-next-line no-restricted-globals -- the given instant; the clock is not asked
      cron.nextRun(new Date(afterMs))?.getTime();
    next(0); // an unknown time zone shows here
    return { next, last: (afterMs, untilMs) => lastOf(next, afterMs, untilMs) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Runs are whole minutes apart, so the last is found by halving, however many there were. */
function lastOf(next: Timetable['next'], afterMs: number, untilMs: number): number | undefined {
  const isBy = (ms: number): boolean => (next(ms) ?? Infinity) <= untilMs;
  let before = Math.max(afterMs, untilMs - longestMs);
  if (!isBy(before)) return undefined;
  for (let after = untilMs; after - before > minuteMs;) {
    const between = Math.floor((before + after) / 2);
    if (isBy(between)) before = between;
    else after = between;
  }
  return next(before);
}

/** The same share of the jitter for the same object, whatever process computes it. */
export const delayOf = (uid: string, jitterMs: number): number =>
  Math.floor((Number.parseInt(shortHash(uid), 36) / 36 ** 8) * (jitterMs / 1000)) * 1000;

export interface Clocked {
  /** The last run that was started or passed over, or since when there are any. */
  readonly handledMs: number;
  readonly nowMs: number;
  /** From the time of a run to its start. */
  readonly delayMs: number;
  /** A run that could not start for longer is not made up for. Absent: until the next one. */
  readonly deadlineMs?: number;
}

export type Due =
  | { readonly is: 'none' }
  /** The clock was set back: what it says now counts. */
  | { readonly is: 'set-back' }
  /** Of several, the last: a snapshot of now stands for all of them. */
  | { readonly is: 'due' | 'missed'; readonly atMs: number };

export function dueRun(table: Timetable, { handledMs, nowMs, delayMs, deadlineMs = Infinity }: Clocked): Due {
  if (handledMs > nowMs) return { is: 'set-back' };
  const atMs = table.last(handledMs, nowMs - delayMs);
  if (atMs === undefined) return { is: 'none' };
  return { is: nowMs - atMs - delayMs > deadlineMs ? 'missed' : 'due', atMs };
}
