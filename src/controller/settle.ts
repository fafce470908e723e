// One pass: waits until every object is at rest, or until time is up. It asks the controller; it decides nothing.
import { ApiError } from '../core/errors.ts';
import type { Declarations, Sync } from '../core/source/source.ts';
import type { Controller } from './controller.ts';
import type { Visit } from './reconcile/endings.ts';
import type { WorkQueue } from './queue/workqueue.ts';

/** Time alone, or another object, may still bring it further. */
function unfinished(visit: Visit | undefined): boolean {
  if (!visit) return true;
  const { ending } = visit;
  switch (ending.is) {
    case 'rest':
    case 'gone':
      return false;
    case 'parked':
    case 'conflict':
      return true;
    case 'blocked':
      return ending.plan.wake.on === 'time';
    case 'failed':
      return ending.error instanceof ApiError && ending.error.class !== 'refused';
  }
}

/**
 * Resolves when every object is at rest: as declared, or waiting for something that only a person or another program
 * can bring. @returns whether that was in time.
 */
export async function atRest<E, Reader>(
  controller: Controller<E, Reader>,
  queue: WorkQueue,
  source: Declarations,
  sync: Sync | undefined,
  timeUp: AbortSignal,
): Promise<boolean> {
  await Promise.race([sync?.waitForSync(), aborted(timeUp)]);
  while (!timeUp.aborted) {
    await Promise.race([queue.idle(), aborted(timeUp)]);
    const open = [...source.keys()].filter((key) => unfinished(controller.last(key)));
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
