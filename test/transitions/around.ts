// What every object may refer to: secrets, a volume with a snapshot, the engine and the method that roles belong to.
import { embeddedBindDN, embeddedBindPassword } from '../../src/embedded/secrets/fixtures/seed.ts';
import { secret, snapshot, volume, type Spec } from '../support/manifests.ts';
import { ldapConfig, oidcConfig } from '../support/secrets.ts';
import { authority, key, otherAuthority, otherKey } from './subjects/certificates.ts';
import type { Seeded } from './services.ts';

const directory = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword };

export const around = (): readonly Spec[] => [
  secret('shop', 'plugin', { one: 'canary-plugin-one', two: 'canary-plugin-two' }),
  secret('shop', 'values', {
    bind: embeddedBindPassword,
    one: 'canary-value-one',
    two: 'canary-value-two',
    account: '{"type":"service_account","client_email":"a"}',
    'other-account': '{"type":"service_account","client_email":"b"}',
    ca: authority,
    'other-ca': otherAuthority,
    key,
    'other-key': otherKey,
  }),
  volume('data'),
  volume('more-data'),
  snapshot('taken'),
  snapshot('taken-too'),
  ...ldapConfig(directory),
  secret('shop', 'staff', { 'client-secret': 'canary-client-secret' }),
  oidcConfig(),
];

/** @param names of all objects that will be declared: each may want a mount or an account of its own */
export const seeded = (names: readonly string[]): Seeded => ({
  mounts: [
    { path: 'keymgmt-too', type: 'keymgmt' },
    ...names.map((path) => ({ path, type: 'ldap' })),
    ...names.map((path) => ({ path: `auth/${path}`, type: 'oidc' })),
  ],
  entries: names.map((name) => ({
    dn: `uid=${name},ou=services,dc=example,dc=org`,
    password: `first-${name}`,
    attributes: { uid: name, cn: name },
  })),
  disks: [...names.map((name) => `disk-${name}`), 'disk-1', 'disk-2', 'disk-3', 'disk-4'].map(
    (externalID) => ({ pluginID: 'nfs', externalID, capacityBytes: 1024 ** 3 }),
  ),
  snapshots: [{ pluginID: 'ebs', id: 'snap-2', sizeBytes: 1024 ** 3 }],
});
