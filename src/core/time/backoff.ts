// Delays between retries: exponential, capped, with jitter. PURE: randomness is passed in.
export interface BackoffLimits {
  readonly baseMs: number;
  readonly capMs: number;
}

const objectBackoff: BackoffLimits = { baseMs: 250, capMs: 300_000 };
/** A permission is granted without an event: mostly soon after somebody read that it is missing. */
export const deniedBackoff: BackoffLimits = { baseMs: 5_000, capMs: 600_000 };

/**
 * Milliseconds before attempt `failures` + 1: between half of the exponential delay and all of it.
 * @param random in [0, 1)
 */
export function backoffMs(failures: number, random: number, limits: BackoffLimits = objectBackoff): number {
  const whole = Math.min(limits.capMs, limits.baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** Returns 90 % to 110 % of `ms`, so that objects do not all reconcile at the same time. @param random in [0, 1) */
export const jitterMs = (ms: number, random: number): number => Math.round(ms * (0.9 + 0.2 * random));
