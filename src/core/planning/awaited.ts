// Waits while a finished step is not visible yet, or while a step without a response may still take effect. PURE.
import { fitting } from './fitting.ts';
import type { Situation } from './situation.ts';
import type { Lifecycle } from './lifecycle.ts';
import { blocked, type Plan } from './plan.ts';

/** How long (ms) a finished step may stay invisible, and the interval of observations meanwhile. */
const sight = { untilMs: 30_000, againMs: 1_000 };
/**
 * How long (ms) a removal without a response may still take effect. If it were repeated sooner, the first request could
 * remove the next external object of that name.
 */
const lateMs = 3_000;

/** A finished step that is not visible yet must not be taken for a loss or for a foreign object. */
export function awaited<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  { status: { pending }, observed, nowMs, since }: Situation<Spec, Live, Own>,
): Plan<E> | undefined {
  if (!pending || observed.state === 'unknown') return undefined;
  const sinceMs = since(`${pending.done === true ? 'done' : 'begun'}: ${pending.op} ${pending.token}`);
  if (nowMs - sinceMs > sight.untilMs) return undefined;
  const again = { on: 'time', atMs: nowMs + sight.againMs } as const;
  const hidden = pending.done === true && outOfSight(pending.op, observed.retired !== undefined);
  if (hidden) return blocked('AwaitingVisibility', hidden, again);
  const wasCreated = pending.op === 'create' && pending.done === true;
  if (observed.state === 'absent')
    return wasCreated ? blocked('AwaitingVisibility', 'what was made does not show yet', again) : undefined;
  const removed = pending.evidence?.['removed'];
  const isRemoved = fitting(kind.identity(observed.live)) === removed;
  const isOld = pending.op === 'create' ? kind.identityRepeats !== true : pending.done === true;
  if (isRemoved && isOld)
    return blocked('AwaitingVisibility', 'that the one before was removed does not show yet', again);
  const isRemoval = (pending.op === 'replace' || pending.op === 'delete') && !pending.done;
  const mayArrive = isRemoval && nowMs - sinceMs < lateMs && (isRemoved || removed === undefined);
  if (!mayArrive) return undefined;
  const message = 'a removal whose answer was lost may still be under way';
  return blocked('RemovalInProgress', message, { on: 'time', atMs: sinceMs + lateMs });
}

const retiring: ReadonlySet<string> = new Set(['retire', 'retire-previous']);
const ending: ReadonlySet<string> = new Set(['destroy', 'destroy-previous', 'keep', 'keep-previous']);

/** What a finished step made or removed under the retired ID. Without a wait, the same call would be repeated at once. */
function outOfSight(op: string, isSeen: boolean): string | undefined {
  if (retiring.has(op) && !isSeen) return 'what was registered to be destroyed does not show yet';
  if (ending.has(op) && isSeen) return 'that the one to be destroyed was removed does not show yet';
  return undefined;
}
