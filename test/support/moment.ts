// A moment to plan at.
import type { Moment } from '../../src/core/kind.ts';

/** Nothing was known before it. */
export const momentAt = (nowMs: number): Moment => ({ nowMs, wallMs: nowMs, since: () => nowMs });
