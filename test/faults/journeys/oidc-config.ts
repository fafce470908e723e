// The life of a login method's configuration, which is always written whole.
import { secret, type Spec } from '../../support/manifests.ts';
import { oidcConfig } from '../../support/secrets.ts';
import { both, type Journey, type Life } from './journey.ts';
import type { World } from '../world/world.ts';

const config: Spec = { defaultRole: 'staff', boundIssuer: 'https://embedded/staff' };
const elsewhere: Spec = { ...config, defaultRole: 'people' };
const adopted: Spec = { ...config, adoptionPolicy: 'Adopt' };

const clientSecret = (world: World, value: string) =>
  world.tree.put('secret.yaml', secret('shop', 'staff', { 'client-secret': value }));

const declares =
  (spec: Spec = config) =>
  (world: World) =>
    world.declare(oidcConfig(spec));
const undeclares = (world: World) => world.undeclare();

/** What every journey stands on: its secret, and a configuration that is not its business. */
function base(world: World): void {
  const kept = oidcConfig({ ...config, mount: 'jwt' });
  world.tree.put('kept.yaml', { ...kept, metadata: { namespace: 'shop', name: 'kept' } });
  clientSecret(world, 'canary-faults-client-5f1e');
}

const from = (spec: Spec) => (world: World) => {
  base(world);
  declares(spec)(world);
};

const written = (more: object) => (world: World) =>
  world.secrets.call<void>('POST', '/v1/auth/oidc/config', {
    oidc_discovery_url: 'https://embedded/staff',
    oidc_client_id: 'holdfast',
    oidc_client_secret: 'canary-faults-client-5f1e',
    default_role: 'staff',
    bound_issuer: 'https://embedded/staff',
    ...more,
  });

/** The method is mounted anew, which is the one way to lose a configuration. */
async function lost({ secrets }: World): Promise<void> {
  await secrets.call('DELETE', '/v1/sys/auth/oidc');
  await secrets.call('POST', '/v1/sys/auth/oidc', { type: 'oidc' });
}

const journeys: readonly Journey[] = [
  { part: 'create', dialects: both, start: base, act: declares(), edit: declares(elsewhere) },
  {
    part: 'adopt',
    dialects: both,
    start: base,
    meanwhile: written({ default_role: 'others' }),
    act: declares(adopted),
  },
  {
    part: 'adopt',
    variant: 'identical',
    dialects: ['cluster'],
    start: base,
    meanwhile: written({}),
    act: declares({ ...adopted, adoptionPolicy: 'AdoptIfIdentical' }),
  },
  {
    part: 'adopt',
    variant: 'refused',
    dialects: ['nomad'],
    start: base,
    meanwhile: written({}),
    act: declares(),
  },
  { part: 'update', dialects: both, start: from(config), act: declares(elsewhere), edit: declares() },
  {
    part: 'update',
    variant: 'letting a field go',
    dialects: ['nomad'],
    start: from(config),
    act: declares({ defaultRole: 'staff' }),
  },
  {
    part: 'update',
    variant: 'another client secret',
    dialects: both,
    start: from(config),
    act: (world) => clientSecret(world, 'canary-faults-client-77aa'),
  },
  {
    part: 'revive',
    dialects: both,
    start: from(config),
    meanwhile: lost,
    act: declares(),
    edit: declares(elsewhere),
  },
  {
    part: 'delete',
    variant: 'which lets it go',
    dialects: both,
    start: from(config),
    act: undeclares,
    edit: declares(),
  },
];

export const oidcConfigLife: Life = {
  kind: 'OIDCConfig',
  journeys,
  without: {
    replace: 'whatever differs is written in place, and its mount never changes',
    rotate: 'it has no password that the service changes',
  },
};
