// Gives memory back at rest. V8 keeps the garbage of a burst of work until some collections have shown that little is in use,
// and a process without work has none for minutes (docs/decisions/0037-memory-is-given-back-at-rest.md).
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { WorkQueue } from '../controller/queue/workqueue.ts';
import { sleep, type Clock } from '../core/time/clock.ts';

/** How long (ms) after the queue came to rest the heap is looked at. */
const restMs = 2_000;
/** Growth of the heap, since it was last given back, that is worth a collection, in bytes. */
const worthBytes = 16 * 1024 * 1024;

/** The heap of this process. */
export interface Heap {
  /** What V8 holds for it, garbage included. */
  readonly bytes: () => number;
  /** Runs a minor collection, which takes some milliseconds and makes V8 shrink the heap in steps. */
  readonly collect: () => void;
}

export function systemHeap(): Heap {
  setFlagsFromString('--expose-gc');
  const gc: (options: object) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return { bytes: () => getHeapStatistics().total_heap_size, collect: () => gc({ type: 'minor' }) };
}

/** Collects when the queue is at rest and the heap has grown. Ends with the signal, and never rejects. */
export async function collectAtRest(
  queue: Pick<WorkQueue, 'idle' | 'busy' | 'depth' | 'running'>,
  clock: Clock,
  heap: Heap,
  signal: AbortSignal,
): Promise<void> {
  let leastBytes = 0;
  for (;;) {
    await queue.idle();
    await sleep(clock, restMs, signal);
    if (signal.aborted) return;
    if (queue.depth + queue.running > 0) continue;
    const isGrown = heap.bytes() >= leastBytes + worthBytes;
    if (isGrown) heap.collect();
    await queue.busy();
    // What V8 has shrunk it to by now. Without a collection it stays as it was, so that growth in small steps adds up.
    leastBytes = isGrown ? heap.bytes() : Math.min(leastBytes, heap.bytes());
  }
}
