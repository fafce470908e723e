// Time as everything below the command line sees it: passed in, so that tests decide what time it is.

export interface Clock {
  /** Milliseconds since 1970; may have a fraction. */
  readonly nowMs: () => number;
  /**
   * Calls `fire` once after about `ms` milliseconds, never before the caller has returned: even 0 lets the event loop
   * turn first. It may come slightly early or late, so look at `nowMs`. The answer cancels it.
   */
  readonly setTimer: (ms: number, fire: () => void) => () => void;
}

/** Resolves after `ms`, or as soon as `signal` is aborted; never rejects. */
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
