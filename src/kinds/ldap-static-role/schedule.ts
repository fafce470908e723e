// LDAPStaticRole: when to look again. The service tells nothing by itself, but its next rotation is known. PURE.
import type { InSync } from '../../core/planning/plan.ts';
import { periodSeconds, type Live, type RoleSituation } from './body.ts';

type S = RoleSituation;

/** The service's ticker takes its time, and clocks differ a little. */
const afterMs = 2_000;
/** A rotation that is overdue is looked for again, the longer it takes the less often. */
const overdueMinMs = 5_000;
/** A consumer's scheduler did not answer. */
const problemMs = 60_000;

/** Until the first rotation can be expected, or the next look is due anyhow. */
export const firstMs = ({ spec, policy }: Pick<S, 'spec' | 'policy'>): number =>
  Math.min(periodSeconds(spec) * 1_000 + afterMs, policy.drift.intervalMs);

export function atRest(s: S, live: Live, rest: InSync): InSync {
  const hasProblems = Object.keys(live.answers.problems).length > 0;
  return { ...rest, dueMs: Math.min(nextMs(s, live), hasProblems ? problemMs : Infinity) };
}

/**
 * By the service's instant and the wall clock, and by how long this rotation has been known: whichever comes first. The
 * one may be wrong by days, the other is late where this process began in between.
 */
function nextMs(s: S, { role, rotated }: Live): number {
  if (!rotated) return firstMs(s);
  const everyMs = role.rotation_period * 1_000 + afterMs;
  const leftMs = [
    rotated.wallMs + everyMs - s.wallMs,
    s.since(`rotated ${rotated.instant}`) + everyMs - s.nowMs,
  ];
  return Math.min(...leftMs.map((left) => waitMs(s, left)));
}

const waitMs = ({ policy }: S, leftMs: number): number =>
  leftMs > 0 ? leftMs : Math.min(Math.max(-leftMs, overdueMinMs), policy.drift.intervalMs);
