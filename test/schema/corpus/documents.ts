// A small valid document of each kind, which the tables change one value at a time.
import type { Document } from './case.ts';

const documentOf = (kind: string, spec: Document, namespace?: string): Document => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind,
  metadata: { name: 'a', ...(namespace !== undefined && { namespace }) },
  spec,
});

export const volume = documentOf(
  'CSIVolume',
  {
    connectionRef: { name: 'production' },
    pluginID: 'ebs',
    capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
    create: { capacity: { min: '10Gi' } },
  },
  'shop',
);

export const registered = documentOf(
  'CSIVolume',
  {
    connectionRef: { name: 'production' },
    pluginID: 'ebs',
    capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
    register: { externalID: 'vol-1' },
  },
  'shop',
);

export const cut = documentOf(
  'CSISnapshot',
  { connectionRef: { name: 'production' }, volumeRef: { name: 'orders' } },
  'shop',
);

export const nightly = documentOf(
  'CSISnapshotSchedule',
  { connectionRef: { name: 'production' }, volumeRef: { name: 'orders' }, schedule: '0 3 * * *' },
  'shop',
);

export const config = documentOf(
  'LDAPConfig',
  { connectionRef: { name: 'vault' }, mount: 'ldap', bindDN: 'cn=admin,dc=example,dc=org' },
  'shop',
);

export const role = documentOf(
  'LDAPStaticRole',
  { configRef: { name: 'directory' }, username: 'shop', rotationPeriod: '24h', onCreate: 'Rotate' },
  'shop',
);

export const login = documentOf(
  'OIDCConfig',
  { connectionRef: { name: 'vault' }, mount: 'oidc', discoveryURL: 'https://login.example.com' },
  'shop',
);

export const loginRole = documentOf(
  'OIDCRole',
  {
    configRef: { name: 'staff' },
    userClaim: 'sub',
    allowedRedirectURIs: ['http://localhost:8250/oidc/callback'],
  },
  'shop',
);

export const keyStore = documentOf(
  'KMSProvider',
  {
    connectionRef: { name: 'vault' },
    mount: 'keymgmt',
    provider: 'cloud_keystore',
    keyCollection: 'invoices',
  },
  'shop',
);

export const commanded = documentOf(
  'AllocationAction',
  {
    connectionRef: { name: 'production' },
    selector: { job: 'web' },
    action: { exec: { task: 'server', command: ['true'] } },
  },
  'shop',
);

export const scheduler = documentOf('SchedulerConnection', {
  addresses: ['https://nomad.example.com:4646'],
  dialect: 'nomad',
});

export const secrets = documentOf('SecretsConnection', {
  addresses: ['https://vault.example.com:8200'],
  dialect: 'vault',
  auth: { tokenSecretRef: { namespace: 'ops', name: 'vault', key: 'token' } },
});

export const everyKind: readonly Document[] = [
  volume,
  cut,
  nightly,
  config,
  role,
  login,
  loginRole,
  keyStore,
  scheduler,
  secrets,
];
export const managed: readonly Document[] = [volume, cut, config, role, login, loginRole, keyStore];
export const connections: readonly Document[] = [scheduler, secrets];

const fieldsOf = ({ spec }: Document): readonly string[] => Object.keys(Object(spec));

/** The kind, and how the spec differs from that above. */
export function labelOf(document: Document): string {
  const kind = String(document['kind']);
  const plain = everyKind.find((known) => known['kind'] === kind);
  if (plain === undefined) return kind;
  const [had, has] = [fieldsOf(plain), fieldsOf(document)];
  const more = has.filter((field) => !had.includes(field));
  const less = had.filter((field) => !has.includes(field));
  return [
    kind,
    ...(more.length > 0 ? ['with', ...more] : []),
    ...(less.length > 0 ? ['without', ...less] : []),
  ].join(' ');
}
