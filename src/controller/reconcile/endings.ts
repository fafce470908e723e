// How a visit ended, and what that means for others: whom it stands in the way of still, and what it waits for. PURE.
import { isDeepStrictEqual } from 'node:util';
import { backoffMs } from '../../core/backoff.ts';
import type { Entry } from '../../core/source/source.ts';
import type { Status } from '../../core/status/status.ts';
import { SpecError, type ConflictReason } from '../../core/errors.ts';
import type { Ending } from '../../core/status/outcome.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { ExternalObject } from '../../core/resource.ts';
import type { Reason } from '../../core/status/reasons.ts';
import type { Secrets } from './resolve.ts';

export interface Visit {
  readonly key: string;
  readonly done: readonly Step<unknown>[];
  readonly ending:
    | Ending
    | { readonly is: 'gone'; readonly because: string }
    | { readonly is: 'conflict'; readonly reason: ConflictReason };
  readonly status: Status;
  readonly requeueMs: number | undefined;
  /** References to Secrets that came to nothing, by field. Absent: none. */
  readonly missing?: Secrets;
  /** Object from which it took its external object over. */
  readonly tookFrom?: string;
}

/** Between visits that lost to what the source does not show yet. */
const conflictBackoff = { baseMs: 50, capMs: 10_000 } as const;

/** What a visit wrote to, as the source shows it now: nothing newer is known. */
export const isCurrent = ({ object, status }: Entry, now: Entry | undefined): boolean =>
  now?.object.uid === object.uid &&
  now.object.generation === object.generation &&
  isDeepStrictEqual(now.object.requests, object.requests) &&
  isDeepStrictEqual(now.status, status);

/** At once where the source shows already what the visit lost to; else it tells when it does, with a timer behind that. */
export const afterConflictMs = (isBehind: boolean, failures: number, random: number): number =>
  isBehind ? backoffMs(failures, random, conflictBackoff) : 0;

const announcing: ReadonlySet<Reason> = new Set([
  'DeletionPending',
  'DeletionLimitExceeded',
  'MoveInProgress',
]);

/**
 * What is to be replaced stays announced until it is, or until its declaration or the world is another. A visit that could
 * not find out changes nothing: the others are not to go because one of them could not be looked at.
 */
export function isAnnounced({ ending }: Visit): boolean {
  if (ending.is === 'blocked') return announcing.has(ending.plan.reason);
  if (ending.is === 'failed') return !(ending.error instanceof SpecError);
  return ending.is === 'parked' || ending.is === 'conflict';
}

/** What a visit could not look at yet. Of one that could not be placed nobody knows whose data it is about to name. */
export function leftBy({ ending }: Visit, connection: string | undefined) {
  if (ending.is === 'conflict') return { scope: undefined };
  if (ending.is !== 'parked') return undefined;
  return { scope: ending.early || ending.unplaced === true ? undefined : connection };
}

export function waitsOf({ ending }: Visit): readonly ExternalObject[] {
  const wake = ending.is === 'blocked' ? ending.plan.wake : undefined;
  return wake?.on === 'live' ? (wake.also ?? []) : [];
}
