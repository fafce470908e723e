// Two tenants, shop and blog: each has a disk and its snapshot, an action on its job, a directory login, a key store, secrets of its own, and a
// connection of its own beside the ones that both may use for what is theirs.
import { serveSecrets, type SecretsService } from '../../support/secrets.ts';
import { serve, serviceToken, type Service } from '../../support/service.ts';
import type { Spec } from '../../support/manifests.ts';
import type { Cluster } from './cluster.ts';
import { tenants } from './deployed.ts';
import { kubectl } from './objects.ts';

type Tenant = (typeof tenants)[number];

const apiVersion = 'holdfast.dev/v1alpha1';
const system = 'holdfast-system';
const rootToken = 'canary-root-token-42d1';
const bindDN = 'cn=admin,dc=example,dc=org';
const bindPassword = 'canary-bind-password-7b11';

export interface Services {
  readonly scheduler: Service;
  readonly secrets: SecretsService;
}

const dn = (name: string) => `uid=${name},ou=services,dc=example,dc=org`;

export async function services(): Promise<Services> {
  const secrets = await serveSecrets('vault', {
    token: rootToken,
    seed: {
      mounts: tenants.flatMap((name) => [
        { path: `${name}-ldap`, type: 'ldap' },
        { path: `auth/${name}-oidc`, type: 'oidc' },
        { path: `${name}-keys`, type: 'keymgmt' },
      ]),
      entries: [
        { dn: bindDN, password: bindPassword, attributes: { cn: 'admin' } },
        ...tenants.map((uid) => ({ dn: dn(uid), password: `initial-${uid}`, attributes: { uid, cn: uid } })),
      ],
    },
  });
  const scheduler = await serve('nomad');
  for (const name of tenants)
    await scheduler.call('POST', '/setup/allocations', { jobID: `${name}-web`, tasks: [{ name: 'server' }] });
  return { scheduler, secrets };
}

/** Applies objects in one call. @throws Error */
export const apply = (cluster: Cluster, objects: readonly Spec[]): Promise<string> =>
  kubectl(cluster, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));

export const secret = (
  namespace: string,
  name: string,
  stringData: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): Spec => ({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name, labels }, stringData });

const limits = { deletions: { perHour: 1_000, percent: 100 } };
export const schedulerConnection = (
  name: string,
  { url, dialect }: Pick<Service, 'url' | 'dialect'>,
  access: readonly object[],
): Spec => ({
  apiVersion,
  kind: 'SchedulerConnection',
  metadata: { name },
  spec: {
    addresses: [url],
    dialect,
    auth: { tokenSecretRef: { namespace: system, name: 'scheduler', key: 'token' } },
    access,
    limits,
    backendID: `scheduler at ${url}`,
  },
});

/** `shared` is for both, each for the names of its own; each of the others for one of them. */
export const connections = (at: Services): readonly Spec[] => [
  secret(system, 'scheduler', { token: serviceToken }),
  secret(system, 'secrets', { token: rootToken }),
  schedulerConnection(
    'shared',
    at.scheduler,
    tenants.map((name) => ({
      namespaces: [name],
      kinds: ['CSIVolume', 'CSISnapshot', 'CSISnapshotSchedule', 'AllocationAction'],
      externalNames: [`${name}-*`],
      actions: ['Exec'],
    })),
  ),
  ...tenants.map((name) => schedulerConnection(`only-${name}`, at.scheduler, [{ namespaces: [name] }])),
  {
    apiVersion,
    kind: 'SecretsConnection',
    metadata: { name: 'shared' },
    spec: {
      addresses: [at.secrets.url],
      dialect: at.secrets.dialect,
      auth: { tokenSecretRef: { namespace: system, name: 'secrets', key: 'token' } },
      access: tenants.map((name) => ({ namespaces: [name], externalNames: [`${name}-*`] })),
      limits,
      backendID: 'secrets',
    },
  },
];

const object = (
  kind: string,
  namespace: string,
  name: string,
  spec: Spec,
  annotations: Readonly<Record<string, string>> = {},
): Spec => ({ apiVersion, kind, metadata: { namespace, name, annotations }, spec });

const disk: Spec = {
  connectionRef: { name: 'shared' },
  pluginID: 'ebs',
  create: { capacity: { min: '1Gi' } },
  capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
  deletionPolicy: 'Delete',
};
export const volume = (namespace: string, name: string, spec: Spec = {}): Spec =>
  object('CSIVolume', namespace, name, { ...disk, externalName: `${namespace}-${name}`, ...spec });

/** Its secrets have the same names in both namespaces; the values tell whose they are. */
export const estate = (tenant: Tenant): readonly Spec[] => [
  secret(tenant, 'own', { key: `canary-of-${tenant}-5d0c` }),
  secret(tenant, 'bind', { password: bindPassword }, { 'holdfast.dev/watch': 'Enabled' }),
  volume(tenant, 'orders', { secrets: { encryption: { name: 'own', key: 'key' } } }),
  object('CSISnapshot', tenant, 'nightly', {
    connectionRef: { name: 'shared' },
    externalName: `${tenant}-nightly`,
    volumeRef: { name: 'orders' },
    secrets: { encryption: { name: 'own', key: 'key' } },
    deletionPolicy: 'Delete',
  }),
  object('CSISnapshotSchedule', tenant, `${tenant}-leap`, {
    connectionRef: { name: 'shared' },
    volumeRef: { name: 'orders' },
    schedule: '0 0 29 2 *',
  }),
  object('AllocationAction', tenant, 'reload', {
    connectionRef: { name: 'shared' },
    selector: { job: `${tenant}-web` },
    action: { exec: { task: 'server', command: ['true'] } },
  }),
  object('LDAPConfig', tenant, 'directory', {
    connectionRef: { name: 'shared' },
    mount: `${tenant}-ldap`,
    urls: ['ldap://embedded'],
    bindDN,
    bindPasswordSecretRef: { name: 'bind', key: 'password' },
  }),
  object('LDAPStaticRole', tenant, 'web', {
    configRef: { name: 'directory' },
    externalName: `${tenant}-web`,
    username: tenant,
    dn: dn(tenant),
    rotationPeriod: '24h',
    onCreate: 'Rotate',
    deletionPolicy: 'Delete',
    output: { secretName: 'web-login' },
  }),
  object('OIDCConfig', tenant, 'staff', {
    connectionRef: { name: 'shared' },
    mount: `${tenant}-oidc`,
    discoveryURL: 'https://embedded/oauth2/default',
    clientID: 'holdfast',
    clientSecretSecretRef: { name: 'bind', key: 'password' },
  }),
  object('OIDCRole', tenant, 'staff', {
    configRef: { name: 'staff' },
    externalName: `${tenant}-staff`,
    userClaim: 'sub',
    boundAudiences: ['holdfast'],
    allowedRedirectURIs: ['http://localhost:8250/oidc/callback'],
    tokenPolicies: ['default'],
    deletionPolicy: 'Delete',
  }),
  object('KMSProvider', tenant, 'invoices', {
    connectionRef: { name: 'shared' },
    externalName: `${tenant}-invoices`,
    mount: `${tenant}-keys`,
    provider: 'cloud_keystore',
    keyCollection: 'invoices-keys',
    credentials: {
      tenantIDSecretRef: { name: 'own', key: 'key' },
      clientIDSecretRef: { name: 'own', key: 'key' },
      clientSecretSecretRef: { name: 'own', key: 'key' },
    },
    deletionPolicy: 'Delete',
  }),
];

const api = `/apis/${apiVersion}`;
const managed =
  (plural: string, name: string) =>
  (namespace: string, named = name) =>
    `${api}/namespaces/${namespace}/${plural}/${named}`;

/** Paths of objects. */
export const at = {
  volume: managed('csivolumes', 'orders'),
  snapshot: managed('csisnapshots', 'nightly'),
  schedule: (tenant: string) => managed('csisnapshotschedules', `${tenant}-leap`)(tenant),
  action: managed('allocationactions', 'reload'),
  config: managed('ldapconfigs', 'directory'),
  role: managed('ldapstaticroles', 'web'),
  login: managed('oidcconfigs', 'staff'),
  loginRole: managed('oidcroles', 'staff'),
  keyStore: managed('kmsproviders', 'invoices'),
  secret: (namespace: string, name: string) => `/api/v1/namespaces/${namespace}/secrets/${name}`,
  connection: (name: string) => `${api}/schedulerconnections/${name}`,
  secretsConnection: (name: string) => `${api}/secretsconnections/${name}`,
} as const;

/** What a tenant's objects are, in the order in which they can go. */
export const ownOf = (tenant: string): readonly string[] => [
  at.snapshot(tenant),
  at.schedule(tenant),
  at.volume(tenant),
  at.action(tenant),
  at.role(tenant),
  at.config(tenant),
  at.loginRole(tenant),
  at.login(tenant),
  at.keyStore(tenant),
];
