// Iterates over a long sequence without blocking the event loop.
import { setImmediate } from 'node:timers/promises';

const perTurn = 500;

/**
 * Calls `take` for each item and lets the event loop turn every 500 items: a source may declare 100,000 objects. Items that
 * are added to the sequence meanwhile are included.
 */
export async function yielding<T>(all: Iterable<T>, take: (one: T) => void): Promise<void> {
  let count = 0;
  for (const one of all) {
    take(one);
    count += 1;
    if (count % perTurn === 0) await setImmediate();
  }
}
