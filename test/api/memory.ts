// How much memory something takes, for tests of what an answer may cost.

function heldBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** MiB that were held more than before, at most, while this went on. */
export async function grownBy(work: () => Promise<unknown>): Promise<number> {
  const before = heldBytes();
  let most = before;
  const look = setInterval(() => (most = Math.max(most, heldBytes())), 5);
  try {
    await work();
  } finally {
    clearInterval(look);
  }
  return (Math.max(most, heldBytes()) - before) / 2 ** 20;
}
