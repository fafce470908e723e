// CSISnapshot: whether what was frozen stayed so until the snapshot was taken, as the scheduler shows it. PURE.
import { shortHash } from '../../core/hash.ts';
import { runningIn, seenOf, selectedOf, type Allocation } from '../../schema/scheduler/allocations.ts';
import type { Quiesce } from './own.ts';

/** Changes when a task of the allocation starts again. Recorded with the freeze. */
export const restartsOf = (allocation: Allocation): string =>
  shortHash(seenOf(allocation, undefined).restarts);

/** Where the allocations could not be read as they were thawed. */
export const unread = 'whether an allocation started or ended while the others were frozen could not be read';

/** @returns which allocation may have written meanwhile, and why. Empty: none */
export function disturbanceIn(quiesce: Quiesce, listed: readonly Allocation[]): string {
  const { namespace, allocations, restarts } = quiesce;
  if (restarts === undefined) return ''; // recorded by an earlier version
  for (const id of allocations) {
    const one = listed.find(({ ID }) => ID === id);
    if (!one || seenOf(one, undefined).life === 'ended') return `allocation ${id} ended while it was frozen`;
    if (restartsOf(one) !== restarts[id]) return `allocation ${id} was restarted while it was frozen`;
  }
  const running = listed.filter((one) => runningIn(seenOf(one, undefined)).length > 0);
  const chosen = selectedOf(quiesce, namespace, running, () => true);
  const other = chosen.find((one) => !allocations.includes(one.allocation));
  return other ? `allocation ${other.allocation} started while the others were frozen` : '';
}
