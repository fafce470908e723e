// Time as everything below the command line sees it: passed in, so that tests decide what time it is.

export interface Clock {
  /**
   * Milliseconds since an arbitrary start; may have a fraction. It never goes back, whatever is done to the machine's
   * date: every wait, retry and limit goes by it. It means nothing in another process, so it is stored nowhere.
   */
  readonly nowMs: () => number;
  /**
   * Calls `fire` once after about `ms` milliseconds, never before the caller has returned: even 0 lets the event loop
   * turn first. It may come slightly early or late, so look at `nowMs`. The answer cancels it.
   */
  readonly setTimer: (ms: number, fire: () => void) => () => void;
}

/** Apart from the other, so that only those see it who ask for it by name (docs/decisions/0010-monotonic-time.md). */
export interface WallClock {
  /**
   * Milliseconds since 1970 by the machine's date, which may be wrong and may be set at any time: for what people read,
   * and for comparing with an instant that a service states.
   */
  readonly wallMs: () => number;
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
