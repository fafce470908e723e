// Objects of the tenant `shop` that try to reach what is the tenant `blog`'s: every reference of every kind, by the tables of
// the declarations, with every value that might leave the namespace.
import { isRecord } from '../../../src/core/json.ts';
import { registry } from '../../../src/kinds/registry.ts';
import type { ReferenceRule } from '../../../src/schema/references.ts';
import type { Spec } from '../../support/manifests.ts';

export interface Hostile {
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Of the reference. */
  readonly field?: string;
  /** Field and value. */
  readonly what: string;
  readonly spec: Spec;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** `private` is a Secret of `blog` that nobody refers to. */
export const names: readonly string[] = [
  'private',
  'blog/private',
  '../blog/private',
  '../../blog/secrets/private',
  'private%2F..%2F..%2F..%2Fblog%2Fsecrets%2Fprivate',
  '%2e%2e',
  '..',
  '.',
  '',
  'private?namespace=blog',
  'private#',
  'private\nname: private',
  'private ',
  '*',
  'a'.repeat(300),
  '__proto__',
];

const key = 'key';
const secretValues: readonly Spec[] = [
  ...names.map((name) => ({ name, key })),
  { namespace: 'blog', name: 'private', key },
  { name: { toString: 'private' }, key },
  { name: ['private'], key },
  { name: 'private', key: '../key' },
  { name: 'own', key: '__proto__' },
];

const objectValues = (other: string): readonly Spec[] => [
  ...names.map((name) => ({ name })),
  { namespace: 'blog', name: other },
  { name: `blog/${other}` },
  { name: other, kind: 'Secret' },
];

const token = { namespace: 'holdfast-system', name: 'secrets', key: 'token' };
const nowhere = {
  addresses: ['http://127.0.0.1:1'],
  tls: { clientCertificateSecretRef: token, clientKeySecretRef: token },
};

/** With each reference in its place. `*` in the tables is the first there. */
const bases: Readonly<Record<string, Spec>> = {
  CSIVolume: {
    connectionRef: { name: 'shared' },
    pluginID: 'ebs',
    create: { capacity: { min: '1Gi' } },
    capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
    secrets: { encryption: { name: 'own', key } },
  },
  CSISnapshot: {
    connectionRef: { name: 'shared' },
    volumeRef: { name: 'orders' },
    secrets: { encryption: { name: 'own', key } },
  },
  CSISnapshotSchedule: {
    connectionRef: { name: 'shared' },
    volumeRef: { name: 'orders' },
    schedule: '* * * * *',
  },
  AllocationAction: {
    connectionRef: { name: 'shared' },
    selector: { job: 'shop-web' },
    action: { exec: { task: 'server', command: ['true'] } },
  },
  LDAPConfig: {
    connectionRef: { name: 'shared' },
    mount: 'shop-other',
    urls: ['ldap://embedded'],
    bindDN: 'cn=admin,dc=example,dc=org',
    bindPasswordSecretRef: { name: 'own', key },
    caSecretRef: { name: 'own', key },
    clientCertificateSecretRef: { name: 'own', key },
    clientKeySecretRef: { name: 'own', key },
  },
  LDAPStaticRole: {
    configRef: { name: 'directory' },
    username: 'shop',
    rotationPeriod: '24h',
    onCreate: 'Keep',
    output: { secretName: 'other-login' },
    consumers: [{ job: { connectionRef: { name: 'only-shop' }, id: 'shop', action: 'Signal' } }],
  },
  OIDCConfig: {
    connectionRef: { name: 'shared' },
    mount: 'shop-other',
    discoveryURL: 'https://embedded/oauth2/default',
    clientID: 'holdfast',
    clientSecretSecretRef: { name: 'own', key },
    providerConfig: {
      provider: 'workspace_directory',
      adminImpersonate: 'admin@example.com',
      serviceAccountSecretRef: { name: 'own', key },
    },
  },
  OIDCRole: {
    configRef: { name: 'staff' },
    userClaim: 'sub',
    boundAudiences: ['holdfast'],
    allowedRedirectURIs: ['http://localhost:8250/oidc/callback'],
    tokenPolicies: ['default'],
    loginCheck: { clientSecretSecretRef: { name: 'own', key } },
  },
  KMSProvider: {
    connectionRef: { name: 'shared' },
    externalName: 'shop-other',
    mount: 'shop-other',
    provider: 'cloud_keystore',
    keyCollection: 'shop-other',
    credentials: {
      tenantIDSecretRef: { name: 'own', key },
      clientIDSecretRef: { name: 'own', key },
      clientSecretSecretRef: { name: 'own', key },
    },
  },
  SchedulerConnection: { ...nowhere, dialect: 'nomad', auth: { tokenSecretRef: token } },
  SecretsConnection: { ...nowhere, dialect: 'vault', auth: { tokenSecretRef: token } },
};

/** A connection logs in by one way only. */
const logins: Readonly<Record<string, Spec>> = {
  '/auth/appRole/secretIDSecretRef': { appRole: { roleID: 'holdfast' } },
  '/auth/jwt/jwtSecretRef': { jwt: { role: 'holdfast' } },
};
const baseOf = (kind: string, field: string): Spec => ({
  ...bases[kind],
  ...(logins[field] && { auth: logins[field] }),
});

/** The value in its place. */
function put(tree: unknown, [head = '', ...rest]: readonly string[], value: unknown): unknown {
  if (head === '') return value;
  if (Array.isArray(tree)) return tree.map((one: unknown, at) => (at === 0 ? put(one, rest, value) : one));
  const map: Spec = isRecord(tree) ? tree : {};
  const name = head === '*' ? (Object.keys(map)[0] ?? '') : head;
  return { ...map, [name]: put(map[name], rest, value) };
}

function valuesOf(rule: ReferenceRule, other: string): readonly Spec[] {
  if (rule.to === 'object') return objectValues(other);
  if (rule.namespace === 'own') return secretValues;
  return [
    ...secretValues.map((value) => ({ ...value, namespace: 'holdfast-system' })),
    ...names
      .map((namespace) => ({ namespace, name: 'private', key }))
      .filter((one) => one.namespace !== 'blog'),
  ];
}

const generated: readonly Hostile[] = registry.flatMap(({ declaration }) =>
  declaration.references.flatMap((rule) =>
    valuesOf(rule, rule.to === 'object' && rule.scope === 'Namespaced' ? 'theirs' : 'only-blog').map(
      (value) => ({
        kind: declaration.kind,
        plural: declaration.plural,
        namespaced: declaration.scope === 'Namespaced',
        field: rule.field,
        what: `${rule.field} ${JSON.stringify(value).slice(0, 80)}`,
        // oxlint-disable-next-line no-unsafe-type-assertion -- a map stays one
        spec: put(baseOf(declaration.kind, rule.field), rule.field.split('/').slice(1), value) as Spec,
      }),
    ),
  ),
);

/** What is no reference, and names something all the same. */
const others: readonly Omit<Hostile, 'plural' | 'namespaced'>[] = [
  ...names.flatMap((name) => [
    {
      kind: 'LDAPStaticRole',
      what: `output ${name}`,
      spec: { ...bases['LDAPStaticRole'], output: { secretName: name } },
    },
    {
      kind: 'LDAPStaticRole',
      what: `workload ${name}`,
      spec: { ...bases['LDAPStaticRole'], consumers: [{ workload: { kind: 'Deployment', name } }] },
    },
    { kind: 'CSIVolume', what: `external name ${name}`, spec: { ...bases['CSIVolume'], externalName: name } },
    {
      kind: 'CSISnapshot',
      what: `volume ID ${name}`,
      spec: { connectionRef: { name: 'shared' }, pluginID: 'ebs', volumeID: name },
    },
  ]),
  ...['only-blog', 'shared'].map((name) => ({
    kind: 'CSIVolume',
    what: `the disk of blog through ${name}`,
    spec: { ...bases['CSIVolume'], connectionRef: { name }, externalName: 'blog-orders' },
    annotations: { 'holdfast.dev/moved-from': 'blog/orders', 'holdfast.dev/adopt': 'IfIdentical' },
  })),
  ...['only-blog', 'shared'].map((name) => ({
    kind: 'CSISnapshot',
    what: `a snapshot of the disk of blog through ${name}`,
    spec: { connectionRef: { name }, pluginID: 'ebs', volumeID: 'blog-orders' },
  })),
  ...[
    { job: 'blog-web' },
    { job: '*' },
    { allocationID: '3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01' },
    { node: '0b5f2a6e-3c1d-4e7a-9f10-5a2b8c7d6e01' },
  ].map((selector) => ({
    kind: 'AllocationAction',
    what: `a command in ${JSON.stringify(selector)}`,
    spec: { ...bases['AllocationAction'], selector },
  })),
  {
    kind: 'LDAPConfig',
    what: 'the mount of blog',
    spec: { ...bases['LDAPConfig'], mount: 'blog-ldap', adoptionPolicy: 'Adopt' },
  },
  ...['blog-web', 'blog-ldap/../blog-web'].map((externalName) => ({
    kind: 'LDAPStaticRole',
    what: `the role of blog as ${externalName}`,
    spec: { ...bases['LDAPStaticRole'], externalName, adoptionPolicy: 'Adopt', onCreate: 'Rotate' },
    annotations: { 'holdfast.dev/moved-from': 'blog/web' },
  })),
];

export const hostile: readonly Hostile[] = [
  ...generated,
  ...others.flatMap((one) =>
    registry
      .filter(({ declaration }) => declaration.kind === one.kind)
      .map(({ declaration: { plural } }) => ({ ...one, plural, namespaced: true })),
  ),
];
