// How much memory something takes, for tests of what an answer may cost.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** What is still needed. A thread frees buffers after a collection, and the next collection waits for it. */
function heldBytes(): number {
  for (let count = 0; count < 2; count += 1) if (typeof collect === 'function') collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** MiB that were held more than before, at most, while this went on. Looking takes a small part of the time. */
export async function grownBy(work: () => Promise<unknown>): Promise<number> {
  const before = heldBytes();
  let most = before;
  let timer = setTimeout(look, 20);
  function look(): void {
    const begunMs = performance.now();
    most = Math.max(most, heldBytes());
    timer = setTimeout(look, (performance.now() - begunMs) * 4);
  }
  try {
    await work();
  } finally {
    clearTimeout(timer);
  }
  return (Math.max(most, heldBytes()) - before) / 2 ** 20;
}
