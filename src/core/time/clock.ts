// The clocks and timers of everything below the command line. They are passed in, so that tests control time.

export interface Clock {
  /**
   * Milliseconds since an arbitrary start; may have a fraction. Never goes back, even if the machine's date is set: every
   * wait, retry and limit uses it. Other processes can't interpret it, so it is never stored.
   */
  readonly nowMs: () => number;
  /**
   * Calls `fire` once after about `ms` milliseconds. Even with 0, the event loop turns first, so `fire` never runs before
   * the caller has returned. The timer may be slightly early or late: check `nowMs`.
   * @returns a function that cancels it
   */
  readonly setTimer: (ms: number, fire: () => void) => () => void;
}

/** Separate from Clock, so that only code that needs the date can read it (docs/decisions/0010-monotonic-time.md). */
export interface WallClock {
  /**
   * Milliseconds since 1970 by the machine's date, which may be wrong or change. For display, and for comparison with times
   * that a service states.
   */
  readonly wallMs: () => number;
}

/** Resolves after `ms` milliseconds, or when `signal` is aborted; never rejects. */
export const sleep = ({ setTimer }: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = setTimer(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
