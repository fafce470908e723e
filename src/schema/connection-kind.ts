// What the kinds of connections have in common: nothing outside is made or changed for them, their health is all there is
// to plan. PURE.
import type { Connection } from '../core/connection.ts';
import type { Observed } from '../core/kind.ts';
import { blocked, type Blocked, type Plan } from '../core/planning/plan.ts';
import type { Policy } from '../core/planning/policy.ts';
import type { ExternalRef, Key } from '../core/resource.ts';

/** What the probes of one look said, as far as it decides. */
export interface Probed {
  /** Why the service can't be used now; absent: it can. */
  readonly problem?: Pick<Blocked, 'reason' | 'message'>;
}

const healthyMs = 60_000;
/** While it can't be used this probe is all that is sent, whatever the number of objects. */
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
