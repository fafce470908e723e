// Exponential backoff with jitter. Randomness is passed in.

export interface BackoffLimits {
  readonly baseMs: number;
  readonly capMs: number;
}

const objectBackoff: BackoffLimits = { baseMs: 250, capMs: 300_000 };

/**
 * Milliseconds until attempt number `failures` + 1, between half and the whole of the exponential delay.
 * @param random in [0, 1)
 */
export function backoffMs(failures: number, random: number, limits: BackoffLimits = objectBackoff): number {
  const whole = Math.min(limits.capMs, limits.baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** Spreads revisits: between 90 % and 110 % of `ms`. */
export const jitterMs = (ms: number, random: number): number => Math.round(ms * (0.9 + 0.2 * random));
