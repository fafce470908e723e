// The end of a single pass (`--once`): waits until every object is at rest or time is up. It only observes the controller
// and makes no decisions.
import { ApiError } from '../core/errors.ts';
import type { Declarations, Sync } from '../core/source/source.ts';
import type { Controller } from './controller.ts';
import type { LastVisit } from './reconcile/endings.ts';
import type { WorkQueue } from './queue/workqueue.ts';

type Last = (key: string) => LastVisit | undefined;

/**
 * Whether a later visit may still change the object, because time passes or another object changes. A state that only a
 * person can end counts as finished, although it is still reconciled from time to time.
 * @param through keyText of the object's connection
 */
function unfinished(visit: LastVisit | undefined, last: Last, through: string | undefined): boolean {
  if (!visit) return true;
  const { ending } = visit;
  switch (ending.is) {
    case 'rest':
    case 'gone':
      return false;
    case 'conflict':
      return true;
    case 'parked':
      return through === undefined || !isStuck(last(through));
    case 'blocked':
      return ending.plan.wake.on === 'time' && ending.plan.stalls !== true;
    case 'failed':
      return ending.error instanceof ApiError && ending.error.class !== 'refused';
  }
}

const isStuck = (connection: LastVisit | undefined): boolean =>
  connection?.ending.is === 'blocked' &&
  connection.ending.usable !== true &&
  !unfinished(connection, () => undefined, undefined);

/**
 * Resolves when every object is at rest: as declared, or waiting for a person or another program.
 * @returns whether that happened before `timeUp`
 */
export async function atRest<E, Reader>(
  controller: Controller<E, Reader>,
  queue: WorkQueue,
  source: Declarations,
  sync: Sync | undefined,
  connectionOf: (key: string) => string | undefined,
  timeUp: AbortSignal,
): Promise<boolean> {
  const last: Last = (key) => controller.last(key);
  await Promise.race([sync?.waitForSync(), aborted(timeUp)]);
  while (!timeUp.aborted) {
    await Promise.race([queue.idle(), aborted(timeUp)]);
    const open = [...source.keys()].filter((key) => unfinished(last(key), last, connectionOf(key)));
    if (open.length === 0) return true;
    await Promise.race([queue.busy(), aborted(timeUp)]);
  }
  return false;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
