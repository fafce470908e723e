// LDAPStaticRole: when to look again. The service tells nothing by itself, but its next rotation is known. PURE.
import type { InSync } from '../../core/plan.ts';
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

function nextMs(s: S, { role, rotated }: Live): number {
  if (!rotated) return firstMs(s);
  const leftMs = rotated.atMs + role.rotation_period * 1_000 + afterMs - s.nowMs;
  return leftMs > 0 ? leftMs : Math.min(Math.max(-leftMs, overdueMinMs), s.policy.drift.intervalMs);
}
