// The life of a connection to a secrets service, with an engine configured through it: a login that it began ends with it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialects } from '../../../src/runtime/embedded/running.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { secret, type Spec } from '../../support/manifests.ts';
import { ldapConfig, secretsConnection } from '../../support/secrets.ts';
import { both, type Journey, type Life } from './journey.ts';
import type { World } from '../world/world.ts';

const secretID = 'canary-faults-secret-id-6c2e';
const first = 'canary-faults-first-token-0a51';
const second = 'canary-faults-second-token-f37d';
const ref = (key: string) => ({ namespace: 'system', name: 'object', key });
const serviceAccount = 'service-account-token';

/** Each way to prove who it is. */
const auths = {
  token: () => ({ tokenSecretRef: ref('token') }),
  appRole: () => ({ appRole: { roleID: 'holdfast', secretIDSecretRef: ref('secretID') } }),
  kubernetes: ({ cwd }: World) => ({
    kubernetes: { role: 'holdfast', tokenFile: join(cwd, serviceAccount) },
  }),
  jwt: () => ({ jwt: { role: 'holdfast', jwtSecretRef: ref('secretID') } }),
} as const satisfies Record<string, (world: World) => Spec>;
type Way = keyof typeof auths;

const policies = ['default', 'operator'];
const capabilities = ['create', 'read', 'update', 'delete', 'list'];
const logins = ['approle', 'kubernetes', 'jwt'];
const ttls = { ttlSeconds: 3_600, maxTtlSeconds: 7_200 };

/** What every journey stands on: who may do what at the service, and the Secrets that prove it. */
async function base(world: World): Promise<void> {
  const { secrets, tree, cwd } = world;
  const add = (what: string, one: Spec) => secrets.call<void>('POST', `/setup/${what}`, one);
  await add('policies', {
    name: 'operator',
    rules: ['ldap/*', 'sys/mounts/*'].map((path) => ({ path, capabilities })),
  });
  for (const mount of logins)
    await add('authRoles', { mount, name: 'holdfast', accepts: secretID, policies, ...ttls });
  for (const token of [first, second]) await add('tokens', { token, policies });
  proves(tree, first);
  tree.put('bind.yaml', secret('shop', 'directory', { password: embeddedBindPassword }));
  writeFileSync(join(cwd, serviceAccount), secretID);
}

const proves = (tree: World['tree'], token: string) =>
  tree.put('secret.yaml', secret('system', 'object', { token, secretID }));

function connectionOf(world: World, way: Way, more: Spec): Spec {
  const service = { url: world.proxies.secrets.url, dialect: dialects[world.dialects].secrets };
  const spec = { auth: auths[way](world), ...more };
  const [connection = {}] = secretsConnection(service, spec);
  return { ...connection, metadata: { name: 'object' } };
}

/** The connection, and an engine that is configured through it. */
const declares =
  (way: Way, config: Spec = {}, more: Spec = {}) =>
  (world: World) => {
    const at = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: '' };
    const spec = {
      connectionRef: { name: 'object' },
      deletionPolicy: 'Delete',
      requestTimeout: '1s',
      ...config,
    };
    const [declared = {}] = ldapConfig(at, spec);
    world.declare(connectionOf(world, way, more), declared);
  };
const undeclares = (world: World) => world.undeclare();
const alone = (world: World) => world.declare(connectionOf(world, 'appRole', {}));

const from = (act: (world: World) => void) => async (world: World) => {
  await base(world);
  act(world);
};

const slower = { requestTimeout: '2s' };

const journeys: readonly Journey[] = [
  {
    part: 'create',
    dialects: both,
    start: base,
    act: declares('appRole'),
    edit: declares('appRole', slower, { limits: { maxConcurrent: 4 } }),
  },
  { part: 'create', variant: 'by a token', dialects: ['nomad'], start: base, act: declares('token') },
  {
    part: 'create',
    variant: 'by a service account',
    dialects: ['nomad'],
    start: base,
    act: declares('kubernetes'),
  },
  { part: 'create', variant: 'by a signed token', dialects: ['cluster'], start: base, act: declares('jwt') },
  {
    part: 'update',
    variant: 'another token, the first is revoked',
    dialects: both,
    start: from(declares('token')),
    meanwhile: ({ secrets }) => secrets.call<void>('POST', '/setup/tokens/revoke', { token: first }),
    act(world) {
      proves(world.tree, second);
      declares('token', slower)(world);
    },
  },
  {
    part: 'update',
    variant: 'another way to log in',
    dialects: ['cluster'],
    start: from(declares('token')),
    act: declares('appRole', slower),
    edit: declares('jwt', slower),
  },
  {
    part: 'update',
    variant: 'to another backend',
    dialects: ['nomad'],
    start: from(declares('appRole')),
    act: declares('appRole', slower, { backendID: 'another' }),
    edit: declares('appRole'),
  },
  {
    part: 'delete',
    dialects: both,
    start: from(declares('appRole')),
    act: undeclares,
    edit: declares('appRole', slower),
  },
  {
    part: 'delete',
    variant: 'with nothing on it',
    dialects: ['nomad'],
    start: from(alone),
    act: undeclares,
    edit: alone,
  },
];

const nothing = 'it says where a service is, and makes nothing there';

export const secretsConnectionLife: Life = {
  kind: 'SecretsConnection',
  journeys,
  without: {
    adopt: nothing,
    replace: nothing,
    revive: `${nothing}; each process begins a session of its own`,
    rotate: 'its token is rotated by somebody else: one that moved is an update',
  },
};
