// OIDCRole: the verbs of its lifecycle. PURE.
import type { SecretsEffect } from '../../api/routes.ts';
import type { OIDCRoleBody } from '../../api/secrets/wire.ts';
import type { Effectful, Lifecycle } from '../../core/planning/lifecycle.ts';
import type { Plan } from '../../core/planning/plan.ts';
import { isMadeHere } from '../../core/planning/made-here.ts';
import { managed } from '../../core/planning/planner.ts';
import { hasUnansweredCreate } from '../../core/status/status.ts';
import {
  changedBody,
  have,
  target,
  typeOf,
  want,
  wholeBody,
  type Live,
  type Path,
  type RoleSituation,
} from './body.ts';
import { intervalMs } from './login-check.ts';
import { fields, type Spec } from './schema.ts';

type S = RoleSituation;

const writing = (s: S, summary: string, body: OIDCRoleBody): Effectful<SecretsEffect> => ({
  summary,
  effect: { port: 'secrets', op: 'oidc.role.write', params: target(s), body },
});

const deleting = (s: S): Effectful<SecretsEffect> => ({
  summary: `delete ${target(s).role}: nobody logs in with it any more`,
  destroys: 'registration',
  effect: { port: 'secrets', op: 'oidc.role.delete', params: target(s) },
});

const isBy = (live: Live, claim: unknown, type: unknown): boolean =>
  live.user_claim === claim && (live.role_type ?? 'oidc') === type;

const lifecycle: Lifecycle<Spec, Live, never, Path, SecretsEffect> = {
  fields,
  want,
  have,
  identity: (live) => `${live.role_type ?? 'oidc'} role by ${live.user_claim}`,
  identityRepeats: true,
  isOurs: (s, live) =>
    isMadeHere(s, { '/userClaim': s.spec.userClaim, '/roleType': typeOf(s.spec) }, (claim, type) =>
      isBy(live, claim, type),
    ),
  // A changed type or claim is drift. After a create without a response, it may as well be somebody else's role.
  keeps: ({ held, status }) => held && !hasUnansweredCreate(status),
  inUse: () => undefined,
  create: (s) => writing(s, `create ${target(s).role}`, wholeBody(s.spec)),
  retract: deleting,
  revive: (s) => writing(s, `create ${target(s).role} again`, wholeBody(s.spec)),
  update(s, live, changes) {
    const paths = changes.map((c) => c.path);
    const summary = `update ${target(s).role}: ${paths.join(', ')}`;
    return writing(s, summary, changedBody(s.spec, live, new Set(paths)));
  },
  remove: deleting,
  unwatched: true,
};

const managing = managed(lifecycle);

/** The role is observed at least as often as its logins are to be checked. */
export function plan(s: S): Plan<SecretsEffect> {
  const planned = managing(s);
  const { loginCheck } = s.spec;
  if (planned.verdict !== 'in-sync' || !loginCheck) return planned;
  return { ...planned, revisitMs: Math.min(planned.revisitMs ?? Infinity, intervalMs(loginCheck)) };
}
