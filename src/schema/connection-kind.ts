// What the kinds of connections share: they make and change nothing outside; a plan only reports their health. PURE.
import type { Connection } from '../core/connection.ts';
import type { Observed } from '../core/kind.ts';
import { blocked, type Blocked, type Plan } from '../core/planning/plan.ts';
import type { Policy } from '../core/planning/policy.ts';
import type { ExternalRef, Key } from '../core/resource.ts';

/** The relevant results of one observation's probes. */
export interface Probed {
  /** Why the service can't be used now; absent: it can. */
  readonly problem?: Pick<Blocked, 'reason' | 'message'>;
}

const healthyMs = 60_000;
/** While the service can't be used, this probe is the only request, whatever the number of objects. */
const unhealthyMs = 5_000;

function plan(s: { readonly observed: Observed<Probed>; readonly nowMs: number }): Plan<never> {
  const problem = s.observed.state === 'present' ? s.observed.live.problem : undefined;
  if (problem) return blocked(problem.reason, problem.message, { on: 'time', atMs: s.nowMs + unhealthyMs });
  return { verdict: 'in-sync', drift: [], revisitMs: healthyMs };
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
