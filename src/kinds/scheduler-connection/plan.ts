// SchedulerConnection: what its health means. It writes nothing. PURE.
import type { Situation } from '../../core/kind.ts';
import { blocked, type Plan } from '../../core/plan.ts';
import type { Spec } from './schema.ts';

/** What the probes of one look said. */
export interface Live {
  /** Why the scheduler can't be used now; absent: it can. */
  readonly problem?: { readonly reason: string; readonly message: string };
  /** `ip:port`; empty while there is none. */
  readonly leader: string;
  readonly version?: string;
}

const healthyMs = 60_000;
/** While it can't be used this probe is all that is sent, whatever the number of objects. */
const unhealthyMs = 5_000;

export function plan(s: Situation<Spec, Live, null>): Plan<never> {
  const problem = s.observed.state === 'present' ? s.observed.live.problem : undefined;
  if (problem) return blocked(problem.reason, problem.message, { on: 'time', atMs: s.nowMs + unhealthyMs });
  return { verdict: 'in-sync', drift: [], revisitMs: healthyMs };
}
