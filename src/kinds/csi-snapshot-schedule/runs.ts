// CSISnapshotSchedule: the times of its runs. They follow the date of this machine, because cron means dates
// (docs/decisions/0027-snapshots-by-schedule.md). PURE.
import { Cron } from 'croner';
import { shortHash } from '../../core/hash.ts';
import { canonicalZone } from './instants.ts';

const minuteMs = 60_000;
/** More than the longest time between two leap days, 8 years: a schedule without a run for so long has none. */
const longestMs = 9 * 366 * 86_400_000;

export interface Timetable {
  /** The first run after an instant. */
  next(afterMs: number): number | undefined;
  /** The last run after one instant, up to and including another. */
  last(afterMs: number, untilMs: number): number | undefined;
}

/**
 * A memo: each plan, one a minute, asks for the same runs again, and each is a search of the calendar. By schedule and time zone,
 * then by the instant before the run; text: why the schedule is not valid.
 */
const known = new Map<string, Map<number, number | undefined> | string>();
const schedulesMax = 1_000;
const runsMax = 100;

/** @returns text: the field that is not valid, and why */
export function timetableOf(schedule: string, timeZone: string): Timetable | string {
  const timezone = zoneNamed(timeZone);
  if (timezone === undefined) return `/timeZone: this machine knows no time zone ${timeZone}`;
  // A Cron is large, and croner keeps something of each name of a zone: so there is one name, and only the runs are kept.
  const cron = () => new Cron(schedule, { timezone, mode: '5-part' });
  const name = `${timezone} ${schedule}`;
  const runs = known.get(name) ?? checked(cron);
  if (known.size >= schedulesMax) known.clear();
  known.set(name, runs);
  if (typeof runs === 'string') return runs;
  const next = (afterMs: number): number | undefined => {
    if (runs.has(afterMs)) return runs.get(afterMs);
    // oxlint-disable-next-line no-restricted-globals -- the given instant; the clock is not asked
    const run = cron().nextRun(new Date(afterMs))?.getTime();
    if (runs.size >= runsMax) runs.clear();
    runs.set(afterMs, run);
    return run;
  };
  return { next, last: (afterMs, untilMs) => lastOf(next, afterMs, untilMs) };
}

/** @returns no runs yet; text: why the schedule is not valid */
function checked(cron: () => Cron): Map<number, number | undefined> | string {
  try {
    cron();
    return new Map();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `/schedule: ${why.replace(/^CronPattern: /, '')}`;
  }
}

function zoneNamed(timeZone: string): string | undefined {
  try {
    return canonicalZone(timeZone);
  } catch {
    return undefined;
  }
}

/** Finds the last run by bisection, because there may be many. Runs are whole minutes apart. */
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

/** A share of the jitter that depends only on the UID, so every process computes the same. */
export const delayOf = (uid: string, jitterMs: number): number =>
  Math.floor((Number.parseInt(shortHash(uid), 36) / 36 ** 8) * (jitterMs / 1000)) * 1000;

export interface Clocked {
  /** The last run that was started or skipped, or the time from which runs count. */
  readonly handledMs: number;
  readonly nowMs: number;
  /** Time between a run and its start. */
  readonly delayMs: number;
  /** A run that is later than this is skipped. Absent: it may start until the next run. */
  readonly deadlineMs?: number;
}

export type Due =
  | { readonly is: 'none' }
  /** The clock was set back; runs count from its present time. */
  | { readonly is: 'set-back' }
  /** The last of several runs: a snapshot taken now stands for all of them. */
  | { readonly is: 'due' | 'missed'; readonly atMs: number };

export function dueRun(table: Timetable, { handledMs, nowMs, delayMs, deadlineMs = Infinity }: Clocked): Due {
  if (handledMs > nowMs) return { is: 'set-back' };
  const atMs = table.last(handledMs, nowMs - delayMs);
  if (atMs === undefined) return { is: 'none' };
  return { is: nowMs - atMs - delayMs > deadlineMs ? 'missed' : 'due', atMs };
}
