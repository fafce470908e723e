// Gives memory back at rest. V8 keeps the garbage of a burst of work until some collections have shown that little is in use,
// and a process without work has none for minutes (docs/decisions/0037-memory-is-given-back-at-rest.md).
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { WorkQueue } from '../controller/queue/workqueue.ts';
import { sleep, type Clock } from '../core/time/clock.ts';

/** Without work for so long (ms), the process is at rest. */
const restMs = 2_000;
/** Growth of the heap since the last rest that is worth a collection, in bytes. */
const worthBytes = 16 * 1024 * 1024;

/** The heap of this process. */
export interface Heap {
  /** What V8 holds for it, garbage included. */
  readonly bytes: () => number;
  /** Runs a minor collection, which takes some milliseconds and makes V8 shrink the heap in steps. */
  readonly collect: () => void;
}

const collector = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  const gc: (options: object) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return () => gc({ type: 'minor' });
};

export function systemHeap(): Heap {
  const collect = collector();
  return { bytes: () => getHeapStatistics().total_heap_size, collect };
}

/** Collects whenever the queue comes to rest and the heap has grown since the last rest. Never rejects. */
export async function collectAtRest(
  queue: Pick<WorkQueue, 'idle' | 'busy' | 'depth' | 'running'>,
  clock: Clock,
  heap: Heap,
  signal: AbortSignal,
): Promise<void> {
  let before = 0;
  while (!signal.aborted) {
    await queue.idle();
    await sleep(clock, restMs, signal);
    if (signal.aborted || queue.depth + queue.running > 0) continue;
    if (heap.bytes() >= before + worthBytes) heap.collect();
    await queue.busy();
    before = heap.bytes(); // V8 has shrunk it by now
  }
}
