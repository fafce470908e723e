// CSISnapshotSchedule: which snapshots expire next if every run makes one. PURE.
import { givenUp, mayExpire, nextByAge } from './retention.ts';
import type { GivenUp, Retention, Snapshot } from './retention.ts';
import type { Timetable } from './runs.ts';

export interface Coming extends GivenUp {
  /** When it expires, in milliseconds since 1970. */
  readonly goesMs: number;
}

/** Maximum number of runs and expiries to look ahead. */
const eventsMax = 64;

/**
 * @param fromMs the last handled run; the runs that are due since then come first
 * @param disk that those are taken of
 */
export function coming(
  snapshots: readonly Snapshot[],
  retention: Retention,
  timeZone: string,
  {
    table,
    fromMs,
    delayMs,
    disk,
  }: {
    readonly table: Timetable;
    readonly fromMs: number;
    readonly delayMs: number;
    readonly disk?: string | undefined;
  },
  most: number,
): readonly Coming[] {
  const found: Coming[] = [];
  let left = snapshots;
  let atMs = fromMs;
  let run = table.next(fromMs);
  // No more snapshots than these can expire. The search stops there, because each run costs a calendar computation.
  const going = Math.min(most, mayExpire(snapshots).length);
  const startMs = () => (run === undefined ? Infinity : run + delayMs);
  for (let event = 0; event < eventsMax && found.length < going; event++) {
    for (const one of givenUp(left, retention, timeZone, atMs)) {
      left = left.filter(({ name }) => name !== one.name);
      if (snapshots.some(({ name }) => name === one.name)) found.push({ ...one, goesMs: atMs });
    }
    atMs = Math.min(startMs(), nextByAge(left, retention, atMs));
    if (atMs === Infinity) break;
    if (run === undefined || startMs() > atMs) continue;
    const made: Snapshot = { name: `run ${run}`, atMs: run, state: 'ready', held: false };
    left = [...left, { ...made, ...(disk !== undefined && { disk }) }];
    run = table.next(run);
  }
  return found.slice(0, most);
}
