// The life of an engine's configuration, and of the bind password that only the service knows in the end.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { secret, type Spec } from '../../support/manifests.ts';
import { ldapConfig } from '../../support/secrets.ts';
import { both, type Journey, type Life } from './journey.ts';
import type { World } from '../world/world.ts';

type Annotations = Readonly<Record<string, string>>;

const at = { url: 'ldap://embedded', bindDN: embeddedBindDN };
const moved = 'canary-faults-moved-bind-1b7d';
/** Else nothing whose password only the service knows is deleted. */
const abandoned = { 'abandon-root': 'it is a test' };
const config: Spec = {
  deletionPolicy: 'Delete',
  requestTimeout: '1s',
  userDN: 'ou=services,dc=example,dc=org',
};
const elsewhere: Spec = { ...config, userDN: 'ou=people,dc=example,dc=org' };

function put(world: World, file: string, name: string, spec: Spec, annotations: Annotations = {}): void {
  const [declared = {}] = ldapConfig({ ...at, bindPassword: '' }, spec);
  const annotated = Object.fromEntries(
    Object.entries(annotations).map(([a, is]) => [`holdfast.dev/${a}`, is]),
  );
  world.tree.put(file, { ...declared, metadata: { namespace: 'shop', name, annotations: annotated } });
}

const bindPassword = (world: World, password: string) =>
  world.tree.put('secret.yaml', secret('shop', 'directory', { password }));

const declares =
  (spec: Spec = config, annotations: Annotations = {}) =>
  (world: World) =>
    put(world, 'object.yaml', 'directory', spec, annotations);
const undeclares = (world: World) => world.undeclare();

/** Whatever is declared by now. */
function asksAgain({ tree }: World): void {
  const declared = readFileSync(join(tree.path, 'object.yaml'), 'utf8');
  tree.put('object.yaml', declared.replace('rotate-root: one', 'rotate-root: another'));
}

/** What every journey stands on: its secret, and a configuration that is not its business. */
async function base(world: World): Promise<void> {
  await world.secrets.call('POST', '/setup/mounts', { path: 'other', type: 'ldap' });
  const bindPasswordSecretRef = { name: 'kept', key: 'password' };
  world.tree.put('kept-secret.yaml', secret('shop', 'kept', { password: embeddedBindPassword }));
  const bindDN = 'cn=kept,dc=example,dc=org'; // of its own: a rotation would lock it out of a shared one
  put(world, 'kept.yaml', 'kept', { ...config, mount: 'other', bindDN, bindPasswordSecretRef });
  bindPassword(world, embeddedBindPassword);
}

const from = (spec: Spec) => async (world: World) => {
  await base(world);
  declares(spec)(world);
};

/** Asked for after it was made: what is asked at first sight counts as answered. */
const rotated =
  (annotations: Annotations = {}) =>
  async (world: World) => {
    await from(config)(world);
    await world.apply();
    declares(config, { 'rotate-root': 'one', ...annotations })(world);
  };

const byHand = (world: World) =>
  world.secrets.call<void>('POST', '/v1/ldap/config', {
    binddn: embeddedBindDN,
    bindpass: embeddedBindPassword,
    url: at.url,
    request_timeout: 7,
  });
const lost = (world: World) => world.secrets.call<void>('DELETE', '/v1/ldap/config');

/** Somebody sets the password of the one whom the service binds as. */
const setByHand = (world: World) =>
  world.secrets.call<void>('POST', '/setup/entries', {
    dn: embeddedBindDN,
    password: moved,
    attributes: { cn: 'admin' },
  });

/** And puts it where the service is to get it from. */
const reseeds = (annotations: Annotations) => (world: World) => {
  bindPassword(world, moved);
  declares(config, annotations)(world);
};

const making: readonly Journey[] = [
  { part: 'create', dialects: both, start: base, act: declares(), edit: declares(elsewhere) },
  {
    part: 'create',
    variant: 'to be kept',
    dialects: ['nomad'],
    start: base,
    act: declares({ ...config, deletionPolicy: 'Retain' }),
  },
  {
    part: 'adopt',
    dialects: both,
    start: base,
    meanwhile: byHand,
    act: declares({ ...config, adoptionPolicy: 'Adopt' }),
  },
  {
    part: 'adopt',
    variant: 'identical',
    dialects: ['cluster'],
    start: base,
    meanwhile: byHand,
    act: declares({ deletionPolicy: 'Delete', requestTimeout: '7s', adoptionPolicy: 'AdoptIfIdentical' }),
  },
  { part: 'adopt', variant: 'refused', dialects: ['nomad'], start: base, meanwhile: byHand, act: declares() },
];

const changing: readonly Journey[] = [
  { part: 'update', dialects: both, start: from(config), act: declares(elsewhere), edit: declares() },
  {
    part: 'update',
    variant: 'letting a field go',
    dialects: ['nomad'],
    start: from(config),
    act: declares({ deletionPolicy: 'Delete', requestTimeout: '1s' }),
  },
  {
    part: 'update',
    variant: 'another bind password',
    dialects: ['cluster'],
    start: from(config),
    meanwhile: setByHand,
    act: reseeds({}),
  },
  {
    part: 'update',
    variant: 'while only the service knows the bind password',
    dialects: ['nomad'],
    start: rotated(abandoned),
    act: (world) => {
      bindPassword(world, moved);
      declares(elsewhere, { 'rotate-root': 'one', ...abandoned })(world);
    },
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
    part: 'revive',
    variant: 'with the password that only the service knew',
    dialects: ['nomad'],
    start: rotated(),
    async meanwhile(world) {
      await lost(world);
      await setByHand(world);
    },
    act: reseeds({ 'rotate-root': 'one', 'reseed-root': 'one' }),
  },
];

const rotating: readonly Journey[] = [
  {
    part: 'rotate',
    dialects: both,
    start: from(config),
    act: declares(config, { 'rotate-root': 'one', ...abandoned }),
    edit: declares(elsewhere, { 'rotate-root': 'one', ...abandoned }),
    askAgain: asksAgain,
  },
  {
    part: 'rotate',
    variant: 'giving the service a password that is known',
    dialects: both,
    start: rotated(),
    meanwhile: setByHand,
    act: reseeds({ 'rotate-root': 'one', 'reseed-root': 'one' }),
  },
];

const leaving: readonly Journey[] = [
  { part: 'delete', dialects: both, start: from(config), act: undeclares, edit: declares() },
  {
    part: 'delete',
    variant: 'letting it go',
    dialects: ['nomad'],
    start: from({ ...config, deletionPolicy: 'Retain' }),
    act: undeclares,
    edit: declares({ ...config, deletionPolicy: 'Retain' }),
  },
  {
    part: 'delete',
    variant: 'with a password that only the service knows',
    dialects: ['cluster'],
    start: rotated(abandoned),
    act: undeclares,
  },
];

export const ldapConfigLife: Life = {
  kind: 'LDAPConfig',
  journeys: [...making, ...changing, ...rotating, ...leaving],
  without: { replace: 'whatever differs is written in place, and its mount never changes' },
};
