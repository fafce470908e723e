// The common part of the kinds of connections: they change nothing outside; a plan only reports their health. PURE.
import type { Connection } from '../../core/connection.ts';
import type { ApiError } from '../../core/errors.ts';
import type { Observed } from '../../core/planning/situation.ts';
import { blocked, stalled, type Blocked, type Plan } from '../../core/planning/plan.ts';
import type { Policy } from '../../core/planning/policy.ts';
import type { ExternalRef, Key } from '../../core/resource.ts';

/** The relevant results of one observation's probes. */
export interface Probed {
  /** Why the service can't be used now. Absent: it can be used. */
  readonly problem?: Pick<Blocked, 'reason' | 'message' | 'stalls'> & {
    /** What the service asks to wait. */
    readonly retryAfterMs?: number;
  };
}

/** At most three small requests each time: a few hundred an hour. A failed call triggers a probe at once. */
const healthyMs = 30_000;
/**
 * While the service can't be used, this probe is the only request, whatever the number of objects. A service
 * that asks for a longer wait gets it, up to that of a healthy one.
 */
const unhealthyMs = 5_000;

function plan(s: { readonly observed: Observed<Probed>; readonly nowMs: number }): Plan<never> {
  const problem = s.observed.state === 'present' ? s.observed.live.problem : undefined;
  if (problem) {
    const why = problem.stalls ? stalled : blocked;
    const waitMs = Math.min(Math.max(problem.retryAfterMs ?? 0, unhealthyMs), healthyMs);
    return why(problem.reason, problem.message, { on: 'time', atMs: s.nowMs + waitMs });
  }
  return { verdict: 'in-sync', drift: [], revisitMs: healthyMs };
}

/**
 * The problem of a failed probe. If it was refused, a person must change the connection, or what it refers to.
 * @param expected the service, if what failed is a read that it grants to everybody: whoever refuses that is another service
 */
export function problemOf(error: ApiError, expected?: string): NonNullable<Probed['problem']> {
  const { retryAfterMs } = error;
  const more = {
    ...(error.class === 'refused' && { stalls: true as const }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  if (expected !== undefined && (error.reason === 'Rejected' || error.reason === 'PermissionDenied')) {
    const message = `/spec/addresses: expected ${expected} there: ${error.message}`;
    return { reason: 'Rejected', message, ...more };
  }
  return { reason: error.reason, message: error.message, ...more };
}

const defaults: Policy = {
  management: 'ObserveOnly',
  adoption: 'Fail',
  deletion: 'Retain',
  replace: 'Never',
  suspend: false,
  drift: { mode: 'Ignore', intervalMs: healthyMs, ignore: [] },
};

export const connectionKind = {
  plan,
  defaults,
  policy: () => ({}),
  parseOwn: () => undefined,
  record: () => undefined,
  externalName: (_: unknown, key: Key): string => key.name,
  locate: (_: unknown, __: unknown, { backend }: Connection): ExternalRef => ({ backend }),
};
