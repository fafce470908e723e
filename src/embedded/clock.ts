// Time as the embedded services see it, passed in so that tests can move it.

export interface Clock {
  nowMs(): number;
  /** Runs once after `delayMs`. @returns how to cancel it. */
  after(delayMs: number, run: () => void): () => void;
}

/** setTimeout fires at once for a longer delay. */
const delayMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, delayMsMax));
    return () => clearTimeout(timer);
  },
};
