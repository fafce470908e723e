// The life of a role that people log in with.
import type { Spec } from '../../support/manifests.ts';
import { secret } from '../../support/manifests.ts';
import { oidcConfig, oidcRole } from '../../support/secrets.ts';
import { both, type Journey, type Life } from './journey.ts';
import type { World } from '../world/world.ts';

const role: Spec = { groupsClaim: 'groups', tokenPolicies: ['shop'] };
const other: Spec = { ...role, groupsClaim: 'teams' };
const kept: Spec = { ...role, deletionPolicy: 'Retain' };

const declares =
  (spec: Spec = role) =>
  (world: World) =>
    world.declare(oidcRole(spec));
const undeclares = (world: World) => world.undeclare();

/** What every journey stands on: the configuration, and a role that is not its business. */
function base(world: World): void {
  world.tree.put('config.yaml', oidcConfig());
  world.tree.put('secret.yaml', secret('shop', 'staff', { 'client-secret': 'canary-faults-client-5f1e' }));
  world.tree.put('kept.yaml', { ...oidcRole(role), metadata: { namespace: 'shop', name: 'people' } });
}

const from = (spec: Spec) => (world: World) => {
  base(world);
  declares(spec)(world);
};

const path = '/v1/auth/oidc/role/staff';
const written = (more: object) => (world: World) =>
  world.secrets.call<void>('POST', path, {
    user_claim: 'sub',
    allowed_redirect_uris: ['http://localhost:8250/oidc/callback'],
    groups_claim: 'groups',
    token_policies: ['shop'],
    ...more,
  });
const lost = (world: World) => world.secrets.call<void>('DELETE', path);

const making: readonly Journey[] = [
  { part: 'create', dialects: both, start: base, act: declares(), edit: declares(other) },
  { part: 'create', variant: 'to be kept', dialects: ['nomad'], start: base, act: declares(kept) },
  {
    part: 'adopt',
    dialects: both,
    start: base,
    meanwhile: written({ groups_claim: 'others' }),
    act: declares({ ...role, adoptionPolicy: 'Adopt' }),
  },
  {
    part: 'adopt',
    variant: 'identical',
    dialects: ['cluster'],
    start: base,
    meanwhile: written({}),
    act: declares({ ...role, adoptionPolicy: 'AdoptIfIdentical' }),
  },
  {
    part: 'adopt',
    variant: 'refused',
    dialects: ['nomad'],
    start: base,
    meanwhile: written({}),
    act: declares(),
  },
];

const changing: readonly Journey[] = [
  { part: 'update', dialects: both, start: from(role), act: declares(other), edit: declares() },
  {
    part: 'update',
    variant: 'another claim and type',
    dialects: ['cluster'],
    start: from(role),
    act: declares({ ...role, userClaim: 'email', roleType: 'jwt', boundAudiences: ['shop'] }),
  },
  {
    part: 'update',
    variant: 'letting a field go',
    dialects: ['nomad'],
    start: from(role),
    act: declares({ groupsClaim: 'groups' }),
  },
  {
    part: 'revive',
    dialects: both,
    start: from(role),
    meanwhile: lost,
    act: declares(),
    edit: declares(other),
  },
];

const leaving: readonly Journey[] = [
  { part: 'delete', dialects: both, start: from(role), act: undeclares, edit: declares() },
  {
    part: 'delete',
    variant: 'letting it go',
    dialects: ['nomad'],
    start: from(kept),
    act: undeclares,
    edit: declares(kept),
  },
];

export const oidcRoleLife: Life = {
  kind: 'OIDCRole',
  journeys: [...making, ...changing, ...leaving],
  without: {
    replace: 'whatever differs is written in place, and its name never changes',
    rotate: 'it has no password',
  },
};
