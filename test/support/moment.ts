// A moment to plan at.
import type { Moment } from '../../src/core/planning/situation.ts';

/** Nothing was known before it. */
export const momentAt = (nowMs: number): Moment => ({ nowMs, wallMs: nowMs, since: () => nowMs });
