// LDAPStaticRole: the verbs of its lifecycle. PURE.
import type { Effect } from '../../api/routes.ts';
import type { RoleBody } from '../../api/secrets/wire.ts';
import type { Effectful, Lifecycle } from '../../core/planning/lifecycle.ts';
import type { Plan, Step } from '../../core/planning/plan.ts';
import { isMadeHere } from '../../core/planning/made-here.ts';
import { managed } from '../../core/planning/planner.ts';
import { isSameDN } from '../../core/text/dn.ts';
import { body, have, periodSeconds, target, want, type Live, type RoleSituation } from './body.ts';
import { ofBindDN, unfound, unrotated, unshared } from './hindrances.ts';
import type { Own } from './own.ts';
import { outdating } from './publication.ts';
import { act } from './rotation.ts';
import { fields, type Spec } from './schema.ts';

type S = RoleSituation;

const writing = (s: S, summary: string, sent: RoleBody): Effectful<Effect> => ({
  summary,
  effect: { port: 'secrets', op: 'ldap.role.write', params: target(s), body: sent },
});

/** Whose role it is can't change, so what is there is sent: it differs from the declaration where drift of it is ignored. */
const changedBody = ({ spec }: S, { username, dn }: Live['role']): RoleBody => ({
  username,
  ...(spec.dn !== undefined && dn !== '' && { dn }),
  rotation_period: periodSeconds(spec),
});

function create(s: S): Effectful<Effect> {
  const { role } = target(s);
  const { username, onCreate } = s.spec;
  const how = onCreate === 'Keep' ? 'keeping its password' : 'and rotate its password at once';
  // Always sent: the config may have another default.
  const step = writing(s, `create ${role} for ${username}, ${how}`, {
    ...body(s.spec),
    skip_import_rotation: onCreate === 'Keep',
  });
  return onCreate === 'Keep' ? step : { ...step, ...outdating(s.spec) };
}

/** Creates the role again. Its password can be kept only if the service never set it: then somebody knows it. */
function revive(s: S): Effectful<Effect> {
  const { role } = target(s);
  const wasRotated =
    s.status.own?.published !== undefined || s.status.observed?.['lastRotation'] !== undefined;
  const keeps = s.spec.onCreate === 'Keep' && !wasRotated;
  const how = keeps
    ? 'keeping its password'
    : 'and rotate its password at once: with the role, the service lost the last one';
  const step = writing(s, `create ${role} for ${s.spec.username} again, ${how}`, {
    ...body(s.spec),
    skip_import_rotation: keeps,
  });
  return keeps ? step : { ...step, ...outdating(s.spec) };
}

/** OpenBao reckons a role that it changes by its last rotation: where there is none, the next one is long due. */
function update(s: S, { role, rotated }: Live, paths: string): Effectful<Effect> {
  const summary = `update ${target(s).role}: ${paths}`;
  const sent = changedBody(s, role);
  if (rotated) return writing(s, summary, sent);
  const step = writing(s, `${summary}; the service may then rotate its password, which it never did`, sent);
  return { ...step, ...outdating(s.spec) };
}

const deleting = (s: S, summary: string): Effectful<Effect> => ({
  summary,
  destroys: 'credential',
  effect: { port: 'secrets', op: 'ldap.role.delete', params: target(s) },
});

const remove = (s: S): Effectful<Effect> =>
  deleting(
    s,
    `delete ${target(s).role}; the directory keeps its last password, and nobody knows it any more`,
  );

const isOf = ({ role }: Live, username: unknown, dn: unknown): boolean =>
  role.username === username && (dn === undefined || isSameDN(role.dn, dn));

const lifecycle: Lifecycle<Spec, Live, Own, keyof typeof fields, Effect> = {
  fields,
  want,
  have,
  identity: ({ role }) => `${role.username} as ${role.dn}`,
  identityRepeats: true,
  isOurs: (s, live) =>
    isMadeHere(s, { '/username': s.spec.username, '/dn': s.spec.dn }, (username, dn) =>
      isOf(live, username, dn),
    ),
  inUse: () => undefined,
  create,
  // A create whose answer was lost is not repeated before the deletion: that would change a password for nothing.
  retract: (s) => deleting(s, `delete ${target(s).role}`),
  revive,
  update: (s, live, changes) => update(s, live, changes.map(({ path }) => path).join(', ')),
  remove,
  act,
  unwatched: true,
};

const usual = managed(lifecycle);

/** Makes a role and rotates its password: only such a write says so, be it a create, its repetition or a revive. */
const makes = ({ effect }: Step<Effect>): boolean =>
  effect?.op === 'ldap.role.write' && effect.body.skip_import_rotation === false;

/** A change of a role whose password was never rotated. */
const changesKept = ({ effect }: Step<Effect>, { observed }: S): boolean =>
  effect?.op === 'ldap.role.write' && observed.state === 'present' && observed.live.rotated === undefined;

export function plan(s: S): Plan<Effect> {
  const shared = ofBindDN(s);
  if (shared) return shared;
  const found = usual(s);
  if (found.verdict !== 'change') return found;
  const [first, ...later] = found.steps;
  const { op } = first.effect ?? {};
  const seeks = op === 'ldap.role.rotate' || (op === 'ldap.role.write' && s.observed.state === 'absent');
  const lost = seeks ? unfound(s) : undefined;
  if (lost) return lost;
  const what = makes(first) ? 'made' : changesKept(first, s) ? 'changed' : undefined;
  if (what === undefined && op !== 'ldap.role.rotate') return found;
  const refused = what && unrotated(s, what);
  return refused ?? { ...found, steps: [unshared(s, first), ...later] };
}
