// LDAPStaticRole: when to look again. The service reports nothing, but its next rotation is known. PURE.
import type { InSync } from '../../core/planning/plan.ts';
import { periodSeconds, type Live, type RoleSituation } from './body.ts';

type S = RoleSituation;

/** Rotations of the service come a little late, and clocks differ. */
const afterMs = 2_000;
/** An overdue rotation is looked for less often the longer it takes. */
const overdueMinMs = 5_000;
/** The scheduler of a consumer does not respond. */
const problemMs = 60_000;

/** Until the first rotation, or the next read. */
export const firstMs = ({ spec, policy }: Pick<S, 'spec' | 'policy'>): number =>
  Math.min(periodSeconds(spec) * 1_000 + afterMs, policy.drift.intervalMs);

export function atRest(s: S, live: Live, rest: InSync): InSync {
  const hasProblems = Object.keys(live.answers.problems).length > 0;
  return { ...rest, dueMs: Math.min(nextMs(s, live), hasProblems ? problemMs : Infinity) };
}

/**
 * By the service's time and by how long this process has known the rotation, whichever comes first. The wall clock may
 * be wrong, and the process may have started in between.
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
