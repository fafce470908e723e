// The life of a key store that key management knows, and of its credentials, which no service shows.
import type { Spec } from '../../support/manifests.ts';
import { kmsProvider, kmsSecret } from '../../support/secrets.ts';
import { both, type Journey, type Life } from './journey.ts';
import { client, clientSecrets, credentialsWith, otherCloud, tenant } from '../world/key-stores.ts';
import type { World } from '../world/world.ts';

const entry = (key: string) => ({ name: 'invoices', key });
const credentials = {
  tenantIDSecretRef: entry('tenant'),
  clientIDSecretRef: entry('client'),
  clientSecretSecretRef: entry('secret'),
};
const store: Spec = { deletionPolicy: 'Delete', credentials };
const elsewhere: Spec = { ...store, credentials: { ...credentials, ...otherCloud } };
const kept: Spec = { ...store, deletionPolicy: 'Retain' };

const clientSecret = (world: World, value: string) =>
  world.tree.put('secret.yaml', kmsSecret(tenant, client, value));

const declares =
  (spec: Spec = store) =>
  (world: World) =>
    world.declare(kmsProvider(spec));
const undeclares = (world: World) => world.undeclare();

/** What every journey stands on: its Secret, and a key store that is not its business. */
function base(world: World): void {
  const other = kmsProvider({ ...store, keyCollection: 'orders-keys' });
  world.tree.put('kept.yaml', { ...other, metadata: { namespace: 'shop', name: 'orders' } });
  clientSecret(world, clientSecrets.first);
}

const from = (spec: Spec) => (world: World) => {
  base(world);
  declares(spec)(world);
};

const path = '/v1/keymgmt/kms/invoices';
const written = (more: object) => (world: World) =>
  world.secrets.call<void>('POST', path, {
    provider: world.dialects === 'nomad' ? 'azurekeyvault' : 'cloud_keystore',
    key_collection: 'invoices-keys',
    credentials: credentialsWith(clientSecrets.second),
    ...more,
  });
const lost = (world: World) => world.secrets.call<void>('DELETE', path);

const making: readonly Journey[] = [
  { part: 'create', dialects: both, start: base, act: declares(), edit: declares(elsewhere) },
  { part: 'create', variant: 'to be kept', dialects: ['nomad'], start: base, act: declares(kept) },
  {
    part: 'adopt',
    variant: 'with the credentials that it has',
    dialects: both,
    start: base,
    meanwhile: written({}),
    act: declares({ ...store, adoptionPolicy: 'Adopt' }),
  },
  {
    part: 'adopt',
    variant: 'refused',
    dialects: ['nomad'],
    start: base,
    meanwhile: written({}),
    act: declares(),
  },
  {
    part: 'adopt',
    variant: 'of another collection, refused',
    dialects: ['cluster'],
    start: base,
    meanwhile: written({ key_collection: 'others-keys' }),
    act: declares({ ...store, adoptionPolicy: 'Adopt' }),
  },
];

const changing: readonly Journey[] = [
  {
    part: 'update',
    variant: 'another client secret',
    dialects: both,
    start: from(store),
    act: (world) => clientSecret(world, clientSecrets.second),
    edit: (world) => clientSecret(world, clientSecrets.first),
  },
  {
    part: 'update',
    variant: 'another environment',
    dialects: ['cluster'],
    start: from(store),
    act: declares(elsewhere),
    edit: declares(),
  },
  {
    part: 'update',
    variant: 'letting the environment go',
    dialects: ['nomad'],
    start: from(elsewhere),
    act: declares(),
  },
  {
    part: 'revive',
    dialects: both,
    start: from(store),
    meanwhile: lost,
    act: declares(),
    edit: declares(elsewhere),
  },
];

const leaving: readonly Journey[] = [
  { part: 'delete', dialects: both, start: from(store), act: undeclares, edit: declares() },
  {
    part: 'delete',
    variant: 'letting it go',
    dialects: ['nomad'],
    start: from(kept),
    act: undeclares,
    edit: declares(kept),
  },
];

export const kmsProviderLife: Life = {
  kind: 'KMSProvider',
  journeys: [...making, ...changing, ...leaving],
  without: {
    replace: 'what can not be written in place never changes',
    rotate: 'the service changes none of its credentials',
  },
};
