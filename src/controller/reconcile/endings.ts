// How a visit ended, and what that means for others: whom it stands in the way of still, and what it waits for. PURE.
import type { Status } from '../../core/status.ts';
import { SpecError } from '../../core/errors.ts';
import type { Ending } from '../../core/outcome.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { ExternalObject } from '../../core/resource.ts';
import type { Reason } from '../../core/reasons.ts';

export interface Visit {
  readonly key: string;
  readonly done: readonly Step<unknown>[];
  readonly ending: Ending | { readonly is: 'gone'; readonly because: string } | { readonly is: 'conflict' };
  readonly memory: Status;
  readonly requeueMs: number | undefined;
  /** Object from which it took its external object over. */
  readonly tookFrom?: string;
}

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
