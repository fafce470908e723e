// The clock of the embedded services. Tests pass in a clock that they move.

export interface Clock {
  nowMs(): number;
  /** Calls `run` once after `delayMs`. @returns a function that cancels the call. */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay of setTimeout, which fires at once if it is exceeded. */
const delayMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, delayMsMax));
    return () => clearTimeout(timer);
  },
};
