// LDAPStaticRole: when to observe it next. The service reports no changes, but its next rotation is known. PURE.
import type { Effect } from '../../api/routes.ts';
import type { InSync, Plan } from '../../core/planning/plan.ts';
import { periodSeconds, type Live, type RoleSituation } from './body.ts';

type S = RoleSituation;

/** The service rotates a little late, and clocks differ. */
const afterMs = 2_000;
/** Minimum delay while a rotation is overdue. The longer it is overdue, the less often the role is read. */
const overdueMinMs = 5_000;
/** Delay while a consumer can't be read, or told. */
export const problemMs = 60_000;

/** Milliseconds until the first rotation or the next read, whichever comes first. */
export const firstMs = ({ spec, policy }: Pick<S, 'spec' | 'policy'>): number =>
  Math.min(periodSeconds(spec) * 1_000 + afterMs, policy.drift.intervalMs);

export function atRest(s: S, live: Live, rest: InSync): InSync {
  const hasProblems = Object.keys(live.answers.problems).length > 0;
  return { ...rest, dueMs: Math.min(nextMs(s, live), hasProblems ? problemMs : Infinity) };
}

/** What the service rotates by itself is published in time, whatever fails meanwhile. */
export function retried(s: S, { dueMs = Infinity }: InSync, plan: Plan<Effect>): Plan<Effect> {
  if (plan.verdict !== 'change' || plan.steps[0].effect === undefined) return plan;
  const [first, ...later] = plan.steps;
  const retryMs = Math.min(dueMs, s.policy.drift.intervalMs, first.retryMs ?? Infinity);
  return { ...plan, steps: [{ ...first, retryMs }, ...later] };
}

/**
 * By the service's time, or by how long this process has known the rotation, whichever comes first: the wall clock may
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
