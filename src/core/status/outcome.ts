// Concludes a visit: the conditions, the status to store, the time of the next visit. PURE: times and chance are passed in.
import type { Status, FieldChange } from './status.ts';
import { backoffMs, deniedBackoff, jitterMs } from '../time/backoff.ts';
import {
  conditionOf,
  mergeConditions,
  ownConditions,
  type ConditionStatus,
  type Holding,
  type Stated,
} from './condition.ts';
import { ApiError, SpecError, isOutage, messageOf } from '../errors.ts';
import { canonical } from '../hash.ts';
import type { Report } from '../kind/kind.ts';
import { withoutFields } from '../planning/next-status.ts';
import type { Blocked, InSync, Step } from '../planning/plan.ts';
import type { DeclaredObject } from '../resource.ts';
import type { ConditionType, Reason } from './reasons.ts';
import type { Json } from '../secret.ts';
import { isAway, served } from './serving.ts';
import { counted } from '../text/count.ts';

export type Ending =
  /** rereadMs: the object was not read, for a list shows its recorded version; milliseconds until it is read. */
  | { readonly is: 'rest'; readonly plan: InSync; readonly rereadMs?: number }
  /** usable: the connection is healthy, so other objects may use it. */
  | { readonly is: 'blocked'; readonly plan: Blocked; readonly usable?: true }
  /**
   * The connection can't be used, so nothing was tried. early: it has not been probed yet. unplaced: the external object
   * can't be located before the connection is opened. listing: the first list of its watch is not complete yet; the watch wakes it.
   */
  | {
      readonly is: 'parked';
      readonly message: string;
      readonly early: boolean;
      readonly unplaced?: true;
      readonly listing?: true;
    }
  /** retryMs: milliseconds until other work is due, which does not wait until the step may be tried again. */
  | { readonly is: 'failed'; readonly error: unknown; readonly retryMs?: number | undefined };

/** Whether other objects can use the visited connection. */
export const isUsable = (ending: { readonly is: string; readonly usable?: true }): boolean =>
  ending.is === 'rest' || ending.usable === true;

export interface ReconcileOutcome {
  readonly ending: Ending;
  readonly status: Status;
  readonly done: readonly Step<unknown>[];
  readonly report: Report | undefined;
  /** The last observation found no external object. */
  readonly absent: boolean;
  /** Whether others can be made from it (core/kind/kind.ts). Absent or `undefined`: its kind does not tell. */
  readonly isPresent?: (status: Status) => boolean | undefined;
  readonly generation: number;
  readonly deleting: boolean;
  readonly heldBack?: string | undefined;
  /** Failed visits in a row, including this one. */
  readonly failures: number;
  readonly nowMs: number;
  /** Milliseconds since 1970, for people. */
  readonly wallMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/** @param kinds by name */
export const stanceOf = (
  { key, generation, deleting, heldBack }: DeclaredObject,
  kinds: ReadonlyMap<string, Required<Pick<ReconcileOutcome, 'isPresent'>>>,
) => ({
  generation,
  deleting,
  heldBack,
  isPresent: (status: Status) => kinds.get(key.kind)?.isPresent(status),
});

export interface Conclusion {
  readonly status: Status;
  /** Milliseconds until the next visit. Absent: only an event causes one. */
  readonly requeueMs: number | undefined;
}

const bugMs = 300_000;
const historyMax = 5;
/** The timer behind whatever else wakes an object. */
export const fallbackMs = (deleting: boolean, random: number): number =>
  jitterMs(deleting ? 60_000 : 600_000, random);

export function conclude(v: ReconcileOutcome): Conclusion {
  // oxlint-disable-next-line no-restricted-globals -- formats the given instant; the clock is not asked
  const now = new Date(v.wallMs).toISOString();
  const found = [...conditions(v), ...(v.report?.conditions ?? ownConditions(v.status.conditions))];
  const settled = isSettled(v.ending);
  const fields = outOfLine(v.ending);
  const { drift: known, awaits: _awaited, observedVersion: _version, ...rest } = v.status;
  const version = v.ending.is === 'rest' ? v.report?.version : undefined;
  const awaits = awaitedBy(v.ending);
  const status: Status = {
    ...rest,
    ...(settled && { observedGeneration: v.generation }),
    ...(awaits && { awaits }),
    ...(v.report && { observed: v.report.observed }),
    ...(v.ending.is === 'blocked' && v.ending.plan.converged && { tries: withoutFields(v.status.tries) }),
    ...(version !== undefined && { observedVersion: version }),
    ...(!settled && known && { drift: known }),
    ...(fields.length > 0 && { drift: driftOf(known, fields, now) }),
    history: [...v.status.history, ...v.done.map((step) => entry(step, now))].slice(-historyMax),
    conditions: mergeConditions(v.status.conditions, found, v.generation, now),
  };
  return { status, requeueMs: requeue(v) };
}

/** What waits for an approval. Stored in the status, so that it can be approved while no process runs. */
function awaitedBy(ending: Ending): Status['awaits'] {
  const { wake, awaits }: Partial<Blocked> = ending.is === 'blocked' ? ending.plan : {};
  return wake?.on === 'approval' && wake.id !== undefined ? { digest: wake.digest, id: wake.id } : awaits;
}

/** Whether the visit judged the current declaration: it was planned, or refused. */
const isSettled = (ending: Ending): boolean =>
  ending.is === 'rest' || ending.is === 'blocked' || (ending.is === 'failed' && isFinal(ending.error));

const isFinal = (error: unknown): boolean =>
  error instanceof SpecError || (error instanceof ApiError && error.class === 'refused');

const entry = (step: Step<unknown>, at: string) => ({
  at,
  verb: step.verb,
  what: step.summary,
  fields: step.changes.map((c) => c.path),
});

function outOfLine(ending: Ending): readonly FieldChange[] {
  if (ending.is === 'rest') return ending.plan.drift;
  return ending.is === 'blocked' ? ending.plan.changes : [];
}

function driftOf(before: Status['drift'], fields: readonly FieldChange[], now: string) {
  const same = before !== undefined && canonical(asJson(before.fields)) === canonical(asJson(fields));
  return { summary: counted(fields.length, 'field'), detectedAt: same ? before.detectedAt : now, fields };
}

const asJson = (fields: readonly FieldChange[]): Json =>
  fields.map((f) => ({ path: f.path, desired: f.desired ?? null, live: f.live ?? null, cause: f.cause }));

const stated = (type: ConditionType, status: ConditionStatus, reason: Reason, message: string): Stated => ({
  type,
  status,
  reason,
  message,
});
const ready = (status: ConditionStatus, reason: Reason, message: string) =>
  stated('Ready', status, reason, message);
const synced = (status: ConditionStatus, reason: Reason, message: string) =>
  stated('Synced', status, reason, message);
const stalling = (reason: Reason, message: string) => stated('Stalled', 'True', reason, message);
const reconciling = (reason: Reason, message: string) => stated('Reconciling', 'True', reason, message);

const unreadyIn = ({ report, deleting }: ReconcileOutcome): Report['unready'] =>
  deleting ? undefined : report?.unready;

/** Ready keeps its value while nothing can be observed. An object observed to be absent is not ready. */
function readyAsBefore(v: ReconcileOutcome, reason: Reason, message: string): Holding {
  if (v.absent) return ready('False', reason, message);
  const unready = unreadyIn(v);
  if (unready) return ready('False', unready.reason, `${unready.message}: ${message}`);
  const before = conditionOf(v.status.conditions, 'Ready');
  return before?.status === 'True' ? before : ready(before?.status ?? 'Unknown', reason, message);
}

/** Ready for those that are made from it: because it is there and stays, because it was until it left, or as before. */
function serving(v: ReconcileOutcome, reason: Reason, message: string): Holding {
  if (isAway(v)) return ready('False', reason, message);
  const stays = v.report !== undefined && !v.absent && !v.deleting && !unreadyIn(v);
  return stays ? ready('True', reason, message) : (served(v) ?? readyAsBefore(v, reason, message));
}

/** An object that is in sync but whose manifest is gone reports why it is not deleted. */
const conditions = (v: ReconcileOutcome): readonly Holding[] =>
  judged(v).map((one) =>
    v.heldBack !== undefined && one.type === 'Synced' && one.status === 'True'
      ? synced('False', 'DeletionHeldBack', v.heldBack)
      : one,
  );

function judged(v: ReconcileOutcome): readonly Holding[] {
  const { ending } = v;
  switch (ending.is) {
    case 'rest':
      return [...atRest(ending.plan, unreadyIn(v)), ...keeping(ending.plan)];
    case 'blocked':
      return whenBlocked(v, ending);
    case 'parked': {
      const { message } = ending;
      const reason = 'ConnectionNotReady';
      return [
        readyAsBefore(v, reason, message),
        synced('Unknown', reason, message),
        reconciling(reason, message),
      ];
    }
    case 'failed':
      return whenFailed(v, ending.error);
  }
}

function atRest(plan: InSync, unready: Report['unready']): readonly Stated[] {
  if (plan.unverified) {
    const why = ['AppliedUnverified', 'the service can not tell what is there'] as const;
    return [
      unready ? ready('False', unready.reason, unready.message) : ready('True', ...why),
      synced('Unknown', ...why),
    ];
  }
  const isReady = unready ? ready('False', unready.reason, unready.message) : ready('True', 'InSync', '');
  if (plan.drift.length === 0) return [isReady, synced('True', 'InSync', '')];
  return [isReady, synced('False', 'Drifted', `${plan.drift.map((c) => c.path).join(', ')}: left as found`)];
}

/** What is not followed is not hidden behind what is in order. */
function keeping({ kept = {} }: InSync): readonly Stated[] {
  const paths = Object.keys(kept);
  if (paths.length === 0) return [];
  const message = `${paths.join(', ')}: kept as made or as last declared; the values are in status.kept`;
  return [stated('FieldsKept', 'True', 'ValueKept', message)];
}

function whenBlocked(v: ReconcileOutcome, { plan }: Extract<Ending, { is: 'blocked' }>): readonly Holding[] {
  const { reason, message, stalls, serves } = plan;
  if (reason === 'Suspended') return [readyAsBefore(v, reason, message), synced('False', reason, message)];
  const attention = stalls ? stalling(reason, message) : reconciling(reason, message);
  const isReady = serves ? serving(v, reason, message) : ready('False', reason, message);
  return [isReady, synced('False', reason, message), attention];
}

function whenFailed(v: ReconcileOutcome, error: unknown): readonly Holding[] {
  if (error instanceof SpecError) {
    const reason = 'InvalidSpec';
    return [
      ready('False', reason, error.message),
      synced('False', reason, error.message),
      stalling(reason, error.message),
    ];
  }
  if (error instanceof ApiError) {
    const { reason, message } = error;
    if (error.class === 'refused' || error.class === 'waiting') {
      const attention = error.class === 'refused' ? stalling(reason, message) : reconciling(reason, message);
      return [ready('False', reason, message), synced('False', reason, message), attention];
    }
    return [
      readyAsBefore(v, reason, message),
      synced('Unknown', reason, message),
      reconciling(reason, message),
    ];
  }
  const message = `a bug in Holdfast: ${messageOf(error)}`;
  const reason = 'InternalError';
  return [readyAsBefore(v, reason, message), synced('Unknown', reason, message), stalling(reason, message)];
}

/** Milliseconds until work is due or until the object is looked at, whichever comes first. `undefined`: neither. */
function requeue(v: ReconcileOutcome): number | undefined {
  const ms = Math.min(workMs(v.ending), lookMs(v));
  return ms === Infinity ? undefined : ms;
}

function workMs(ending: Ending): number {
  if (ending.is === 'parked') return Infinity;
  return (ending.is === 'failed' ? ending.retryMs : ending.plan.dueMs) ?? Infinity;
}

function lookMs(v: ReconcileOutcome): number {
  const { ending, random, deleting } = v;
  const wait = fallbackMs(deleting, random);
  switch (ending.is) {
    case 'rest':
      return ending.plan.revisitMs === undefined ? Infinity : jitterMs(ending.plan.revisitMs, random);
    case 'parked':
      return wait; // the connection wakes the object; this timer is the fallback
    case 'blocked': {
      const { wake } = ending.plan;
      if (wake.on === 'edit') return Infinity;
      return wake.on === 'time' ? Math.max(0, wake.atMs - v.nowMs) : wait;
    }
    case 'failed':
      return afterFailure(v, ending.error, wait);
  }
}

function afterFailure(v: ReconcileOutcome, error: unknown, waitMs: number): number {
  if (error instanceof SpecError) return Infinity;
  if (!(error instanceof ApiError)) return Math.min(waitMs, bugMs);
  const limits = error.reason === 'PermissionDenied' ? deniedBackoff : undefined;
  // A session that was refused is one of the whole connection: the next try waits there, and goes on when that is usable.
  if (error.class === 'refused' && !limits && !isOutage(error)) return waitMs;
  return error.retryAfterMs ?? Math.min(waitMs, backoffMs(v.failures, v.random, limits));
}
