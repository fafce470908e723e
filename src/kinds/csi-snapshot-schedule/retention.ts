// CSISnapshotSchedule: which snapshots expire under its retention. PURE.
import { periodOf, type Period } from './instants.ts';

export interface Snapshot {
  readonly name: string;
  /** Time of the run that it was taken for, in milliseconds since 1970. */
  readonly atMs: number;
  /** When it was taken, by the provider's clock. Absent: not told. */
  readonly takenMs?: number;
  /** Only ready snapshots count. unknown: the child's status is outdated or unreadable. */
  readonly state: 'ready' | 'pending' | 'failed' | 'unknown';
  /** The retention must not delete it. */
  readonly held: boolean;
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
 * those of the runs in between. In all other cases that of its run: what the provider tells may be wrong.
 */
function dataMs({ atMs, takenMs = atMs }: Snapshot, nowMs: number): number {
  return takenMs > atMs + skewMs && takenMs <= nowMs ? takenMs : atMs;
}

/**
 * The snapshots that expire now, oldest first: those that neither `count` nor a tier keeps, and those older than
 * `maxAge`. The newest ready snapshots never expire: `minReady` of them, at least one. All this by the times of the runs, and by those
 * of the data, too: neither a late snapshot nor a provider whose clock is wrong makes the newest data expire.
 */
export function givenUp(
  snapshots: readonly Snapshot[],
  retention: Retention,
  timeZone: string,
  nowMs: number,
): readonly GivenUp[] {
  const byRun = expired(snapshots, retention, timeZone, nowMs);
  const ofData = counted(snapshots, nowMs).map((one) => ({ ...one, atMs: dataMs(one, nowMs) }));
  const byData = new Set(expired(ofData, retention, timeZone, nowMs).map(({ name }) => name));
  return byRun.filter(({ name }) => byData.has(name));
}

/**
 * Of snapshots that failed, those that expire. Each goes as if it were ready, and none keeps another from it: so it stays as long as
 * too few that came later are ready.
 */
export function givenUpFailed(
  failed: readonly Snapshot[],
  snapshots: readonly Snapshot[],
  retention: Retention,
  timeZone: string,
  nowMs: number,
): readonly GivenUp[] {
  const ready = counted(snapshots, nowMs);
  return failed.flatMap((one) =>
    givenUp([...ready, { ...one, state: 'ready' }], retention, timeZone, nowMs)
      .filter(({ name }) => name === one.name)
      .map((going) => ({ ...going, why: `it failed, and ${going.why}` })),
  );
}

function expired(
  snapshots: readonly Snapshot[],
  retention: Retention,
  timeZone: string,
  nowMs: number,
): readonly GivenUp[] {
  const newestFirst = counted(snapshots, nowMs).toSorted((a, b) => b.atMs - a.atMs);
  const kept = keptBy(newestFirst, retention, timeZone);
  const { maxAgeMs = Infinity, minReady = 1 } = retention;
  const candidates = newestFirst.slice(minReady).toReversed();
  return candidates.flatMap(({ name, atMs }): GivenUp[] => {
    if (nowMs - atMs >= maxAgeMs) return [{ name, atMs, why: 'it is older than maxAge' }];
    return kept && !kept.has(name) ? [{ name, atMs, why: 'no rule keeps it' }] : [];
  });
}

/**
 * Snapshots that are held or not known to be ready neither expire nor count, nor do those of a run that is yet to come: they were
 * taken while the machine's date was ahead, and would pass for the newest.
 */
const counted = (snapshots: readonly Snapshot[], nowMs: number): readonly Snapshot[] =>
  snapshots.filter(({ state, held, atMs }) => state === 'ready' && !held && atMs <= nowMs);

/** @returns `undefined`: neither `count` nor a tier is set, so every snapshot is kept */
function keptBy(
  newestFirst: readonly Snapshot[],
  retention: Retention,
  timeZone: string,
): ReadonlySet<string> | undefined {
  const { count } = retention;
  const ruling = tiers.filter(([tier]) => retention[tier] !== undefined);
  if (count === undefined && ruling.length === 0) return undefined;
  const kept = new Set(newestFirst.slice(0, count ?? 0).map(({ name }) => name));
  for (const [tier, period] of ruling) {
    const periods = new Set<string>();
    for (const { name, atMs } of newestFirst) {
      const of = periodOf(period, atMs, timeZone);
      if (periods.has(of)) continue;
      if (periods.size === retention[tier]) break;
      periods.add(of);
      kept.add(name);
    }
  }
  return kept;
}

/** The first instant after `nowMs` at which a snapshot expires by its age. Infinity: none does. */
export function nextByAge(
  snapshots: readonly Snapshot[],
  { maxAgeMs = Infinity, minReady = 1 }: Retention,
  nowMs: number,
): number {
  const ages = counted(snapshots, nowMs)
    .map((one) => dataMs(one, nowMs) + maxAgeMs)
    .toSorted((a, b) => a - b);
  return ages.slice(0, -minReady).find((atMs) => atMs > nowMs) ?? Infinity;
}
