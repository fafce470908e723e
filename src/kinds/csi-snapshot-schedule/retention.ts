// CSISnapshotSchedule: which snapshots expire under its retention. PURE.
import { periodOf, type Period } from './instants.ts';

export interface Snapshot {
  readonly name: string;
  /** Time of the run that it was taken for, in milliseconds since 1970. */
  readonly atMs: number;
  /** When it was taken, by the provider's clock. Absent: not told. */
  readonly takenMs?: number;
  /** The plugin's ID of the disk that it was taken of. Absent: not known, so it passes for that of the latest. */
  readonly disk?: string;
  /** Only ready snapshots count. unknown: the child's status is outdated or unreadable. */
  readonly state: 'ready' | 'pending' | 'failed' | 'unknown';
  /** The retention must not delete it. */
  readonly held: boolean;
  /** It has no external object: no snapshot is recorded, and none is being taken. Absent: not so. */
  readonly isEmpty?: boolean;
}

export interface Retention {
  readonly count?: number;
  readonly maxAgeMs?: number;
  readonly hourly?: number;
  readonly daily?: number;
  readonly weekly?: number;
  readonly monthly?: number;
  readonly minReady?: number;
}

export interface GivenUp {
  readonly name: string;
  readonly atMs: number;
  readonly why: string;
}

const tiers = [
  ['hourly', 'hour'],
  ['daily', 'day'],
  ['weekly', 'week'],
  ['monthly', 'month'],
] as const satisfies readonly (readonly [keyof Retention, Period])[];

/** The clocks of the provider and of this machine may differ by so much. */
const skewMs = 300_000;

/**
 * The time of its data. A snapshot that was taken long after its run, as one that had to wait for a permission, holds newer data than
 * those of the runs in between; one that was taken long before it, while the machine's date was ahead, older data. In all other cases
 * that of its run: what the provider tells may be wrong.
 */
function dataMs({ atMs, takenMs = atMs }: Snapshot, nowMs: number): number {
  return Math.abs(takenMs - atMs) > skewMs && takenMs <= nowMs ? takenMs : atMs;
}

/** Failed snapshots with an external object. */
export const failedIn = <One extends Snapshot>(snapshots: readonly One[]): readonly One[] =>
  snapshots.filter(({ state, isEmpty }) => state === 'failed' && !isEmpty);

/** Whether it was taken long before its run, by the provider's clock, as while the machine's date was ahead. */
export const isEarly = ({ atMs, takenMs = atMs }: Snapshot): boolean => atMs - takenMs > skewMs;

/**
 * Snapshots that may expire: ready ones, then failed ones. Those that are held or not known to be ready neither expire nor count, nor
 * do those of a run that is yet to come: they were taken while the machine's date was ahead, and would pass for the newest.
 */
export const mayExpire = (snapshots: readonly Snapshot[], nowMs = Infinity): readonly Snapshot[] =>
  [...snapshots.filter(({ state }) => state === 'ready'), ...failedIn(snapshots)].filter(
    ({ held, atMs }) => !held && atMs <= nowMs,
  );

/**
 * The snapshots that expire now, oldest first: those that neither `count` nor a tier keeps, and those older than
 * `maxAge`. The newest ready snapshots of each disk never expire: `minReady` of them, at least one. A volume that is made anew under
 * its name has another disk, and what was taken of that is no later state of the data on the first. All this by the times of the runs, and by those
 * of the data, too: neither a late snapshot nor a provider whose clock is wrong makes the newest data expire. One that failed goes as
 * if it were ready and counts for no other: so it stays as long as too few that came later are ready.
 */
export function givenUp(
  snapshots: readonly Snapshot[],
  retention: Retention,
  timeZone: string,
  nowMs: number,
): readonly GivenUp[] {
  const all = mayExpire(snapshots, nowMs);
  const byRun = expired(all, retention, timeZone, nowMs);
  // Of the same data time, as where the provider tells one of all, the runs decide.
  const ofData = newestFirst(all).map((one) => ({ ...one, atMs: dataMs(one, nowMs) }));
  const byData = new Set(expired(ofData, retention, timeZone, nowMs).map(({ name }) => name));
  return byRun.filter(({ name }) => byData.has(name));
}

function expired(
  snapshots: readonly Snapshot[],
  retention: Retention,
  timeZone: string,
  nowMs: number,
): readonly GivenUp[] {
  const { maxAgeMs = Infinity, minReady = 1 } = retention;
  const isKept = keeping(retention, timeZone);
  const going: GivenUp[] = [];
  const laterOf = laterOn(snapshots);
  let later = 0; // ready ones only
  for (const one of newestFirst(snapshots)) {
    const { name, atMs, state } = one;
    const kept = isKept(one, later);
    const why = nowMs - atMs >= maxAgeMs ? 'it is older than maxAge' : kept ? undefined : 'no rule keeps it';
    if (laterOf(one) >= minReady && why !== undefined)
      going.push({ name, atMs, why: state === 'failed' ? `it failed, and ${why}` : why });
    if (state === 'ready') later++;
  }
  return going.toReversed();
}

/** Asked of one after the other, newest first: how many ready ones of the same disk are newer. */
function laterOn(snapshots: readonly Snapshot[]): (one: Snapshot) => number {
  const latest = newestFirst(snapshots).find(({ disk }) => disk !== undefined)?.disk;
  const ready = new Map<string | undefined, number>();
  return ({ disk = latest, state }) => {
    const later = ready.get(disk) ?? 0;
    if (state === 'ready') ready.set(disk, later + 1);
    return later;
  };
}

/** Of the same time, those that failed come last. */
const newestFirst = (snapshots: readonly Snapshot[]): readonly Snapshot[] =>
  snapshots.toSorted((a, b) => b.atMs - a.atMs);

/**
 * Whether `count` or a tier keeps a snapshot. Asked of one after the other, newest first.
 * @returns always true where neither is set
 */
function keeping(retention: Retention, timeZone: string) {
  const { count } = retention;
  const ruling = tiers.flatMap(([tier, period]) => {
    const most = retention[tier];
    return most === undefined ? [] : [{ most, period, periods: new Set<string>() }];
  });
  const keepsAll = count === undefined && ruling.length === 0;
  /** @param later how many ready ones are newer */
  return ({ atMs, state }: Snapshot, later: number): boolean => {
    let kept = keepsAll || later < (count ?? 0);
    for (const { most, period, periods } of ruling) {
      if (periods.size === most) continue;
      const of = periodOf(period, atMs, timeZone);
      kept ||= !periods.has(of);
      if (state === 'ready') periods.add(of);
    }
    return kept;
  };
}

/** The first instant after `nowMs` at which a snapshot expires by its age. Infinity: none does. */
export function nextByAge(
  snapshots: readonly Snapshot[],
  { maxAgeMs = Infinity, minReady = 1 }: Retention,
  nowMs: number,
): number {
  const laterMs = (one: Snapshot) => Math.max(one.atMs, dataMs(one, nowMs)); // it goes only once it is too old by both
  const ofData = mayExpire(snapshots, nowMs).map((one) => ({ ...one, atMs: laterMs(one) }));
  const laterOf = laterOn(ofData);
  let next = Infinity;
  for (const one of newestFirst(ofData)) {
    const goesMs = one.atMs + maxAgeMs;
    if (laterOf(one) >= minReady && goesMs > nowMs) next = goesMs; // older ones go sooner
  }
  return next;
}
