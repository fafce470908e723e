// Long walks that let others have a turn.
import { setImmediate } from 'node:timers/promises';

const perTurn = 500;

/** Lets the event loop turn now and then: there may be a hundred thousand. What is added meanwhile is taken, too. */
export async function yielding<T>(all: Iterable<T>, take: (one: T) => void): Promise<void> {
  let count = 0;
  for (const one of all) {
    take(one);
    count += 1;
    if (count % perTurn === 0) await setImmediate();
  }
}
