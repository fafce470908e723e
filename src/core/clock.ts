// Time for everything below the command line: passed in, so that tests control it.

export interface Clock {
  /**
   * Milliseconds since an arbitrary start; may have a fraction. It never goes back, whatever happens to the machine's
   * date: every wait, retry and limit uses it. It means nothing to other processes, so it is never stored.
   */
  readonly nowMs: () => number;
  /**
   * Calls `fire` once after about `ms` milliseconds, never before the caller has returned: even with 0 the event loop
   * turns first. It may be slightly early or late, so check `nowMs`. The result cancels it.
   */
  readonly setTimer: (ms: number, fire: () => void) => () => void;
}

/** Apart from Clock, so that only code that asks for it sees it (docs/decisions/0010-monotonic-time.md). */
export interface WallClock {
  /**
   * Milliseconds since 1970 by the machine's date, which may be wrong or change: for display, and for comparing with
   * times that a service states.
   */
  readonly wallMs: () => number;
}

/** Resolves after `ms`, or when `signal` is aborted; never rejects. */
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
