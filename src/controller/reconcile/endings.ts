// How a visit ended, and what follows for other objects: whether the visited object still holds up their deletion, and
// which changes may end its wait. PURE.
import { isDeepStrictEqual } from 'node:util';
import { backoffMs } from '../../core/time/backoff.ts';
import type { Entry } from '../../core/source/source.ts';
import type { Status } from '../../core/status/status.ts';
import { ApiError, SpecError, type ConflictReason } from '../../core/errors.ts';
import { fallbackMs, type Ending } from '../../core/status/outcome.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { DeclaredObject, ExternalObject } from '../../core/resource.ts';
import type { Reason } from '../../core/status/reasons.ts';
import type { Preconditions } from './preconditions.ts';
import type { ExternalOwners } from '../index/external-owners.ts';
import type { Graph } from '../index/references.ts';
import type { Secrets } from './resolve.ts';

type Placed<E, Reader> = Pick<Preconditions<E, Reader>, 'opened' | 'used' | 'resolved'>;

export interface Visit {
  readonly key: string;
  readonly done: readonly Step<unknown>[];
  readonly ending:
    | Ending
    | { readonly is: 'gone'; readonly because: string }
    | { readonly is: 'conflict'; readonly reason: ConflictReason };
  readonly status: Status;
  readonly requeueMs: number | undefined;
  /** References to Secrets that could not be resolved, by field. Absent: none. */
  readonly missing?: Secrets;
  readonly tookFrom?: string;
  /** What a create of the object needs (core/kind/kind.ts, `Prerequisite`), where it waits for its service. */
  readonly needed?: ExternalObject;
}

/** What is remembered of a visit. Its status is the source's, and its plan is not needed again. */
export type LastVisit = Pick<Visit, 'ending' | 'missing'>;

const rested: LastVisit = { ending: { is: 'rest', plan: { verdict: 'in-sync', drift: [] } } };

export const lastOf = ({ ending, missing }: Visit): LastVisit =>
  ending.is === 'rest' && !missing ? rested : { ending, ...(missing && { missing }) };

/** Backoff after a lost write while the source does not show the newer version yet. */
const conflictBackoff = { baseMs: 50, capMs: 10_000 } as const;

/** Whether the source still shows the version that the visit wrote to, so that it does not know of a newer one yet. */
export const isCurrent = ({ object, status }: Entry, now: Entry | undefined): boolean =>
  now?.object.uid === object.uid &&
  now.object.generation === object.generation &&
  isDeepStrictEqual(now.object.requests, object.requests) &&
  isDeepStrictEqual(now.status, status);

/** Whether this process knows nothing of the external object yet. @param last the last visit */
export const isUnobserved = (last: LastVisit | undefined): boolean =>
  last === undefined || last.ending.is === 'parked';

/**
 * Milliseconds to the next visit after one that tried nothing and writes nothing, as most do after a restart. `undefined`: its
 * status has to be concluded.
 */
export function untriedMs(
  ending: Ending,
  { deleting }: Pick<DeclaredObject, 'deleting'>,
  random: () => number,
): number | undefined {
  if (ending.is === 'rest') return ending.rereadMs;
  return ending.is === 'parked' && ending.early ? fallbackMs(deleting, random()) : undefined;
}

/** Whether the visit observed nothing and wrote nothing, so that what is indexed of the object still holds. */
export const isUntouched = ({ ending, done }: Visit): boolean =>
  done.length === 0 &&
  ((ending.is === 'parked' && ending.early) || (ending.is === 'rest' && ending.rereadMs !== undefined));

/** A version alone is not worth a write: all that it saves is a read after a restart. */
export function isWorthWriting(after: Status, before: Status): boolean {
  const { observedVersion: _, ...rest } = after;
  const { observedVersion: __, ...was } = before;
  return !isDeepStrictEqual(rest, was);
}

/**
 * Milliseconds to the next visit after a lost write. At once if the source shows the newer version. Otherwise the source
 * notifies when it does, and the backoff is the timer behind that.
 */
export const afterConflictMs = (isBehind: boolean, failures: number, random: number): number =>
  isBehind ? backoffMs(failures, random, conflictBackoff) : 0;

/** The same after one whose result the source refused to write, or could not: not before it wants to be asked again. */
export const afterUnwrittenMs = (error: ApiError, failures: number, random: number): number =>
  Math.max(error.retryAfterMs ?? 0, backoffMs(failures, random));

const announcing: ReadonlySet<Reason> = new Set([
  'DeletionPending',
  'DeletionLimitExceeded',
  'MoveInProgress',
]);

/** Whether the object waits until others are made from it. */
export const isServing = (last: LastVisit | undefined): boolean =>
  last?.ending.is === 'blocked' && last.ending.plan.serves === true;

/**
 * Whether the object's announced replacement stays announced: until it is made, or a plan no longer contains it. A failed
 * visit does not withdraw it, because a smaller set might pass the deletion limits although nothing has changed.
 */
export function isAnnounced({ ending }: Visit): boolean {
  if (ending.is === 'blocked') return announcing.has(ending.plan.reason);
  if (ending.is === 'failed') return !(ending.error instanceof SpecError);
  return ending.is === 'parked' || ending.is === 'conflict';
}

/**
 * Which deletions the object still holds up, because its visit could not observe it. Without a probed connection, it may
 * claim data behind any connection.
 */
export function leftBy({ ending }: Visit, connection: string | undefined) {
  if (ending.is === 'conflict') return { scope: undefined };
  if (ending.is !== 'parked') return undefined;
  return { scope: ending.early || ending.unplaced === true ? undefined : connection };
}

/**
 * The same of an object whose status could not be written. A refusal lasts: then it holds up only what it may still claim, and
 * nothing once it has claimed.
 */
export function leftUnwritten(
  error: ApiError,
  key: string,
  {
    owners,
    graph,
  }: { readonly owners: Pick<ExternalOwners, 'declaredBy'>; readonly graph: Pick<Graph, 'get'> },
) {
  if (error.class !== 'refused') return { scope: undefined };
  return owners.declaredBy(key) === undefined ? { scope: graph.get(key)?.connection ?? key } : undefined;
}

/** What a create needs that the service has refused for now. @param preconditions `undefined`: nothing was sent */
export function neededBy<E, Reader>(ending: Visit['ending'], preconditions: Placed<E, Reader> | undefined) {
  if (ending.is !== 'failed' || !(ending.error instanceof ApiError) || !preconditions) return undefined;
  const { opened, used, resolved } = preconditions;
  const external = ending.error.class === 'waiting' ? opened.prerequisite(resolved)?.external : undefined;
  return external && { needed: { ...external, backend: used.connection.backend } };
}

/** What the object waits for besides its own external object. */
export function waitsOf({ ending, needed }: Visit): readonly ExternalObject[] {
  const wake = ending.is === 'blocked' ? ending.plan.wake : undefined;
  return [...(wake?.on === 'live' ? (wake.also ?? []) : []), ...(needed ? [needed] : [])];
}
