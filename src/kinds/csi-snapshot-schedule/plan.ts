// CSISnapshotSchedule: plans the next step: start a run, skip one, run a drill, or delete expired snapshots. PURE.
import { expiryID } from '../../core/planning/deletion-limits.ts';
import { blocked, gone, stalled, type InSync, type Plan, type Step } from '../../core/planning/plan.ts';
import { isSuspended } from '../../core/planning/policy.ts';
import { keyText } from '../../core/resource.ts';
import { toMs } from '../../schema/parts.ts';
import { childOf, type ScheduledSnapshot } from './children.ts';
import { drilling } from './drill.ts';
import { msOf, textOf } from './instants.ts';
import type { Own } from './own.ts';
import { coming, type Coming } from './preview.ts';
import { givenUp, isEarly, nextByAge, type Retention } from './retention.ts';
import { delayOf, dueRun, timetableOf } from './runs.ts';
import type { Spec } from './schema.ts';
import { liveOf, ofPastRuns, standing, type ScheduleSituation } from './situation.ts';

type S = ScheduleSituation;

/** The machine's date may be set during a wait, so it is read again after this time. */
const askedMs = 60_000;
const minuteMs = 60_000;
const deletionsPerStep = 100;
const previewMax = 5;

const zoneOf = ({ timeZone = 'UTC' }: Spec): string => timeZone;

function retentionOf({ retention: { maxAge, ...rules } = {} }: Spec): Retention {
  return { ...rules, ...(maxAge !== undefined && { maxAgeMs: toMs(maxAge) }) };
}

/** The times of the runs, and their delay. @returns text: why the schedule can't run */
export function clockOf({ spec, uid }: Pick<S, 'spec' | 'uid'>) {
  const table = timetableOf(spec.schedule, zoneOf(spec));
  if (typeof table === 'string') return table;
  return { table, delayMs: spec.jitter === undefined ? 0 : delayOf(uid, toMs(spec.jitter)) };
}

type Running = Exclude<ReturnType<typeof clockOf>, string>;

/** The next snapshots to expire, with their times. */
export const previewOf = (
  s: Pick<S, 'spec' | 'observed' | 'resolved'>,
  own: Own,
  running: Running,
): readonly Coming[] =>
  coming(
    standing(s),
    retentionOf(s.spec),
    zoneOf(s.spec),
    { ...running, fromMs: msOf(own.handled) ?? 0, disk: diskOf(s) },
    previewMax,
  );

/** The plugin's ID of the disk that the volume is on. `undefined`: not known. */
function diskOf({ resolved }: Pick<S, 'resolved'>): string | undefined {
  const volume = resolved.get('/volumeRef');
  return volume?.state === 'ready' ? volume.outputs['externalID'] || undefined : undefined;
}

const comingText = ({ name, goesMs, why }: Coming): string =>
  `expires from ${textOf(goesMs)} on: ${name}: ${why}`;

export function plan(s: S): Plan<never> {
  const { status, spec, wallMs, deleting } = s;
  const { own } = status;
  if (deleting) return whileDeleting(s, own);
  const running = clockOf(s);
  if (typeof running === 'string') return stalled('InvalidSpec', running, { on: 'edit' });
  const handledMs = msOf(own?.handled);
  if (!own || handledMs === undefined) return noting('runs count from now on', { handled: textOf(wallMs) });
  const { startingDeadline } = spec;
  const deadline = startingDeadline !== undefined && { deadlineMs: toMs(startingDeadline) };
  const due = dueRun(running.table, { handledMs, nowMs: wallMs, delayMs: running.delayMs, ...deadline });
  if (due.is === 'set-back')
    return noting('the clock was set back: runs count from now on', { ...own, handled: textOf(wallMs) });
  const suspended = isSuspended(s.requests, s.policy);
  if ('atMs' in due && (suspended || due.is === 'missed')) {
    const handled = textOf(due.atMs);
    const why = suspended ? 'suspended' : 'it could not start within its deadline';
    return noting(`pass over the run of ${handled}: ${why}`, {
      ...own,
      handled,
      ...(!suspended && { missed: handled }),
    });
  }
  const rest = resting(s, own, running);
  const obstacle = due.is === 'due' ? standsAgainst(s) : volumeMissing(s);
  const room = suspended || !isRefused(s) ? undefined : expiring(s, own, rest);
  if (room) return { verdict: 'change', steps: [room] };
  if (due.is === 'due' && !obstacle) return starting(s, own, due.atMs);
  // The deletion of expired snapshots may wait for an approval. A drill that has begun does not wait for that.
  const begun = own.drill && drilling(s, own);
  if (begun) return { verdict: 'change', steps: [begun] };
  if (suspended) return rest;
  const step = expiring(s, own, rest);
  const next = step ?? (own.drill ? undefined : drilling(s, own));
  if (next) return { verdict: 'change', steps: [next] };
  return obstacle ? { ...obstacle, dueMs: rest.dueMs ?? askedMs } : rest;
}

/** The snapshots of a deleted schedule stay. A drill that is under way is ended first. */
function whileDeleting(s: S, own: Own | undefined): Plan<never> {
  const step = own?.drill && drilling(s, own);
  if (step) return { verdict: 'change', steps: [step] };
  if (!own?.drill) return gone('its snapshots stay', false);
  const { name, snapshot } = own.drill;
  return blocked('DeletionBlocked', `what the drill of ${snapshot} made is still there: ${name}`, {
    on: 'object',
  });
}

/** Only the record changes, whether or not the schedule is suspended. */
const noting = (summary: string, own: Own): Plan<never> => ({
  verdict: 'change',
  steps: [{ verb: 'act', summary, changes: [], own, closes: true }],
});

/** The run is recorded after the create: if that record is lost, the repeated create finds the snapshot. */
function starting(s: S, own: Own, atMs: number): Plan<never> {
  const { key, spec } = s;
  const child = childOf(key, spec, freeFrom(s, atMs));
  const at = textOf(atMs);
  const step: Step<never> = {
    verb: 'act',
    summary: `take the snapshot ${child.key.name}`,
    changes: [],
    effect: { port: 'source', op: 'child.create', child },
    own: { ...own, handled: at, started: at },
  };
  return { verdict: 'change', steps: [step] };
}

/** The time of the run, or the first minute after it whose name is not that of a snapshot which was taken while the date was ahead. */
function freeFrom(s: S, atMs: number): number {
  const taken = new Set(
    liveOf(s)
      .snapshots.filter(isEarly)
      .map((one) => one.atMs),
  );
  let free = atMs;
  while (taken.has(free)) free += minuteMs;
  return free;
}

function volumeMissing({ resolved }: S) {
  const volume = resolved.get('/volumeRef');
  const message = volume && 'message' in volume ? volume.message : undefined;
  return message === undefined
    ? undefined
    : blocked('DependencyNotReady', `/volumeRef: ${message}`, { on: 'object' });
}

/** Why a run that is due does not start yet. */
function standsAgainst(s: S) {
  const missing = volumeMissing(s);
  const latest = ofPastRuns(s).at(-1);
  const isOpen = latest?.state === 'pending' || latest?.state === 'unknown';
  if (missing || s.spec.concurrencyPolicy === 'Allow' || !isOpen) return missing;
  return blocked('RunWaiting', `${latest.name} is not ready yet (concurrencyPolicy: Forbid)`, {
    on: 'object',
  });
}

/**
 * Failed snapshots without an external object, except the latest if none succeeded since: its conditions say why it failed. They
 * are never tried again, and would hold the volume.
 */
function outdated(snapshots: readonly ScheduledSnapshot[]) {
  const readyMs = snapshots.findLast(({ state }) => state === 'ready')?.atMs ?? -Infinity;
  return snapshots
    .filter(({ state, held, isEmpty }) => state === 'failed' && !held && isEmpty)
    .filter(({ atMs }, at, all) => at < all.length - 1 || atMs < readyMs)
    .map(({ name, atMs }) => ({
      name,
      atMs,
      why: atMs < readyMs ? 'it failed, and a later one is there' : 'it failed, and so did a later one',
    }));
}

/**
 * The last thing was refused, as by a quota, for which what is to expire may count. That may wait for an approval, so both take turns.
 */
const isRefused = (s: S): boolean =>
  s.status.refusal !== undefined && Math.floor((s.nowMs - s.since('refused')) / askedMs) % 2 === 0;

/** While the volume is missing, none of its snapshots expires: they may be all that is left of it. */
function expiring(s: S, own: Own, { dueMs = askedMs }: InSync): Step<never> | undefined {
  if (volumeMissing(s)) return undefined;
  const { snapshots, generation } = liveOf(s);
  const known = standing(s);
  const going = [...givenUp(known, retentionOf(s.spec), zoneOf(s.spec), s.wallMs), ...outdated(ofPastRuns(s))]
    .filter(({ name }) => name !== own.drill?.snapshot)
    .toSorted((a, b) => a.atMs - b.atMs);
  const byName = new Map(snapshots.map((one) => [one.name, one]));
  const all = going.flatMap(({ name }) => byName.get(name) ?? []);
  const now = all.slice(0, deletionsPerStep);
  const [first] = going;
  if (!first) return undefined;
  const more = now.length === 1 ? '' : ` and ${now.length - 1} more`;
  return {
    verb: 'destroy',
    summary: `let ${first.name}${more} expire: ${first.why}`,
    changes: [],
    destroys: 'data',
    effect: {
      port: 'source',
      op: 'child.delete',
      children: now.map(({ key, uid, atMs }) => ({
        key,
        uid,
        expired: expiryID({ uid: s.uid, generation }, textOf(atMs)),
      })),
    },
    expires: all.map(({ key, atMs }) => ({ key: keyText(key), at: textOf(atMs) })),
    own,
    dueMs,
  };
}

function resting(s: S, own: Own, running: Running): InSync {
  const { table, delayMs } = running;
  const run = table.next(msOf(own.handled) ?? 0) ?? Infinity;
  const byAge = nextByAge(standing(s), retentionOf(s.spec), s.wallMs);
  const inMs = Math.min(run + delayMs, byAge) - s.wallMs;
  return {
    verdict: 'in-sync',
    drift: [],
    applied: {},
    dueMs: Math.min(Math.max(inMs, 1_000), askedMs),
    coming: previewOf(s, own, running).map(comingText),
  };
}
