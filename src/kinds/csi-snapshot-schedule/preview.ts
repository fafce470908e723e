// CSISnapshotSchedule: what its rules will give up next, should every run bring a snapshot. PURE.
import { givenUp, nextByAge, type GivenUp, type Retention, type Snapshot } from './retention.ts';
import type { Timetable } from './runs.ts';

export interface Coming extends GivenUp {
  /** When it goes, milliseconds since 1970. */
  readonly goesMs: number;
}

/** Runs and ages that are looked ahead. */
const eventsMax = 64;

/** @param fromMs the last run that was handled: what is due since then goes first */
export function coming(
  snapshots: readonly Snapshot[],
  retention: Retention,
  timeZone: string,
  {
    table,
    fromMs,
    delayMs,
  }: { readonly table: Timetable; readonly fromMs: number; readonly delayMs: number },
  most: number,
): readonly Coming[] {
  const found: Coming[] = [];
  let left = snapshots;
  let atMs = fromMs;
  let run = table.next(fromMs);
  // What does not go is not looked for: a run costs a look into the calendar.
  const going = Math.min(most, snapshots.filter(({ state, held }) => state === 'ready' && !held).length);
  const startMs = () => (run === undefined ? Infinity : run + delayMs);
  for (let event = 0; event < eventsMax && found.length < going; event++) {
    for (const one of givenUp(left, retention, timeZone, atMs)) {
      left = left.filter(({ name }) => name !== one.name);
      if (snapshots.some(({ name }) => name === one.name)) found.push({ ...one, goesMs: atMs });
    }
    atMs = Math.min(startMs(), nextByAge(left, retention, atMs));
    if (atMs === Infinity) break;
    if (run === undefined || startMs() > atMs) continue;
    left = [...left, { name: `run ${run}`, atMs: run, state: 'ready', held: false }];
    run = table.next(run);
  }
  return found.slice(0, most);
}
