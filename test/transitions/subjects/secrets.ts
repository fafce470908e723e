// What is declared on a secrets service.
import { fileURLToPath } from 'node:url';
import { envelope, field, type Subject } from '../subject.ts';
import { embeddedBindDN } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { authority, otherAuthority } from './certificates.ts';

const connectionRef = { name: 'secrets' };
const from = (key: string) => ({ name: 'values', key });
const flag = (at: string) => field(at, true, false);

/** Mounts are named after the objects on them. */
export const directories: Subject = {
  kind: 'LDAPConfig',
  base: ({ name }) => ({
    connectionRef,
    mount: name,
    bindDN: embeddedBindDN,
    bindPasswordSecretRef: from('bind'),
    urls: ['ldap://embedded'],
  }),
  fields: [
    field('/connectionRef', { name: 'secrets' }, { name: 'other' }),
    field('/mount', '<name>', 'directory-y'),
    field('/bindDN', embeddedBindDN, 'cn=other,dc=example,dc=org'),
    field('/bindPasswordSecretRef', from('bind'), from('one')),
    field('/urls', ['ldap://embedded'], ['ldap://a.example', 'ldaps://b.example:636']),
    field('/schema', 'ad', 'racf'),
    field('/userDN', 'ou=a', 'ou=b'),
    field('/userAttr', 'uid', 'mail'),
    field('/upnDomain', 'a.example', 'b.example'),
    field('/passwordPolicy', 'long', 'short'),
    field('/length', 20, 30),
    field('/requestTimeout', '10s', '20s'),
    field('/connectionTimeout', '10s', '20s'),
    flag('/startTLS'),
    flag('/insecureTLS'),
    field('/caSecretRef', from('ca'), from('other-ca')),
    {
      field: '/clientCertificateSecretRef',
      a: { '/clientCertificateSecretRef': from('ca'), '/clientKeySecretRef': from('key') },
      b: { '/clientCertificateSecretRef': from('other-ca'), '/clientKeySecretRef': from('other-key') },
    },
    {
      field: '/clientKeySecretRef',
      a: { '/clientCertificateSecretRef': from('ca'), '/clientKeySecretRef': from('key') },
      b: { '/clientCertificateSecretRef': from('ca'), '/clientKeySecretRef': from('other-key') },
    },
    field('/tlsMinVersion', 'tls11', 'tls10'),
    field('/tlsMaxVersion', 'tls13', 'tls12'),
    flag('/caseSensitiveNames'),
    flag('/skipStaticRoleImportRotation'),
  ],
  policies: envelope,
};

const shopDN = 'uid=shop,ou=services,dc=example,dc=org';

export const accounts: Subject = {
  kind: 'LDAPStaticRole',
  base: ({ name }) => ({
    configRef: { name: 'directory' },
    username: name,
    dn: `uid=${name},ou=services,dc=example,dc=org`,
    rotationPeriod: '24h',
    onCreate: 'Rotate',
  }),
  fields: [
    field('/configRef', { name: 'directory' }, { name: 'other' }),
    field('/externalName', '<name>-x', '<name>-y'),
    field('/username', 'a', 'b'),
    field('/dn', shopDN, 'uid=billing,ou=services,dc=example,dc=org'),
    field('/rotationPeriod', '24h', '48h'),
    field('/onCreate', 'Rotate', 'Keep', { later: 'a role that was lost is made again as it says' }),
    field('/verify', { bind: false }, { bind: true }, { unseen: 'no rotation is due' }),
    field(
      '/output',
      { secretName: '<name>', data: { text: 'a {{ username }}' } },
      { secretName: '<name>', data: { text: 'b {{ username }}' } },
      { later: 'what was published stays for those who read it, and is not written any more' },
    ),
    field(
      '/consumers',
      [{ job: { connectionRef: { name: 'main' }, id: 'shop', action: 'Signal' } }],
      [{ job: { connectionRef: { name: 'main' }, id: 'shop', action: 'Restart' } }],
      { beside: { '/output': { secretName: '<name>' } }, unseen: 'the first password tells nobody' },
    ),
  ],
  policies: envelope,
};

const issuer = 'https://embedded/staff';
const client = { '/clientID': 'holdfast', '/clientSecretSecretRef': from('one') };
const workspace = {
  ...client,
  '/providerConfig/provider': 'workspace_directory',
  '/providerConfig/adminImpersonate': 'admin@example.com',
  '/providerConfig/serviceAccountSecretRef': from('account'),
};
const { '/providerConfig/serviceAccountSecretRef': _, ...withoutAccount } = workspace;
/** On the machine of the service, which is this one. */
const accountFile = (name: string) => fileURLToPath(new URL(`../accounts/${name}.json`, import.meta.url));

export const logins: Subject = {
  kind: 'OIDCConfig',
  base: ({ name }) => ({ connectionRef, mount: name, discoveryURL: issuer }),
  fields: [
    field('/connectionRef', { name: 'secrets' }, { name: 'other' }),
    field('/mount', '<name>', 'login-y'),
    field('/identityProvider', 'Hosted', 'OpenSource', {
      beside: client,
      unseen: 'its rules are checked, and it is not sent',
    }),
    field('/discoveryURL', issuer, 'https://embedded/guests'),
    field('/discoveryCA', authority, otherAuthority),
    {
      field: '/clientID',
      a: client,
      b: { ...client, '/clientID': 'other' },
    },
    {
      field: '/clientSecretSecretRef',
      a: client,
      b: { ...client, '/clientSecretSecretRef': from('two') },
    },
    field('/defaultRole', 'a', 'b'),
    field('/boundIssuer', 'a', 'b'),
    field('/jwtSupportedAlgs', ['ES256'], ['RS256', 'ES256']),
    field('/responseMode', 'query', 'form_post', { beside: client }),
    field('/responseTypes', ['code'], ['id_token'], {
      beside: { ...client, '/responseMode': 'form_post' },
    }),
    flag('/namespaceInState'),
    {
      field: '/providerConfig/provider',
      beside: client,
      a: { '/providerConfig': { provider: 'cloud_directory' } },
      b: {
        '/providerConfig': {
          provider: 'workspace_directory',
          adminImpersonate: 'admin@example.com',
          serviceAccountSecretRef: from('account'),
        },
      },
    },
    {
      field: '/providerConfig/serviceAccountSecretRef',
      beside: withoutAccount,
      a: { '/providerConfig/serviceAccountSecretRef': from('account') },
      b: { '/providerConfig/serviceAccountSecretRef': from('other-account') },
    },
    field('/providerConfig/serviceAccountPath', accountFile('one'), accountFile('two'), {
      beside: withoutAccount,
    }),
    field('/providerConfig/adminImpersonate', 'admin@example.com', 'b@example.com', { beside: workspace }),
    field('/providerConfig/fetchGroups', true, false, { beside: workspace }),
    field('/providerConfig/fetchUserInfo', true, false, {
      beside: { ...workspace, '/providerConfig/userCustomSchemas': ['a'] },
    }),
    field('/providerConfig/groupsRecurseMaxDepth', 2, 3, { beside: workspace }),
    field('/providerConfig/userCustomSchemas', ['a'], ['b'], { beside: workspace }),
  ],
  policies: envelope,
};

export const loginRoles: Subject = {
  kind: 'OIDCRole',
  base: () => ({
    configRef: { name: 'staff' },
    userClaim: 'sub',
    allowedRedirectURIs: ['http://localhost:8250/oidc/callback'],
  }),
  fields: [
    field('/configRef', { name: 'staff' }, { name: 'other' }),
    field('/externalName', '<name>-x', '<name>-y'),
    field('/roleType', 'oidc', 'jwt', { beside: { '/boundSubject': 'someone' } }),
    field('/userClaim', 'sub', 'email'),
    flag('/userClaimJSONPointer'),
    field('/groupsClaim', 'groups', 'roles'),
    field('/allowedRedirectURIs', ['http://localhost:8250/oidc/callback'], ['https://a.example/callback']),
    field('/scopes', ['profile'], ['email']),
    field('/claimMappings', { name: 'name' }, { email: 'mail' }),
    field('/boundAudiences', ['a'], ['b']),
    field('/boundSubject', 'a', 'b'),
    field('/boundClaims', { team: ['a'] }, { team: ['b', 'c'] }),
    field('/boundClaimsType', 'string', 'glob'),
    field('/maxAge', '1h', '2h'),
    field('/expirationLeeway', '10s', '20s'),
    field('/notBeforeLeeway', '10s', '20s'),
    field('/clockSkewLeeway', '10s', '20s'),
    flag('/verboseLogging'),
    field('/tokenPolicies', ['a'], ['b', 'c']),
    field('/tokenTTL', '1h', '2h'),
    field('/tokenMaxTTL', '3h', '4h'),
    field('/tokenExplicitMaxTTL', '3h', '4h'),
    field('/tokenPeriod', '1h', '2h'),
    field('/tokenNumUses', 1, 2),
    field('/tokenType', 'service', 'batch'),
    flag('/tokenNoDefaultPolicy'),
    field('/tokenBoundCIDRs', ['10.0.0.0/8'], ['::1']),
    field(
      '/loginCheck',
      { interval: '5m' },
      { interval: '10m' },
      {
        unseen: 'Holdfast makes the check, and the service keeps nothing of it',
      },
    ),
  ],
  policies: envelope,
};

const credentials = {
  '/credentials/tenantIDSecretRef': from('one'),
  '/credentials/clientIDSecretRef': from('one'),
  '/credentials/clientSecretSecretRef': from('one'),
};

export const keyStores: Subject = {
  kind: 'KMSProvider',
  base: () => ({
    connectionRef,
    mount: 'keymgmt',
    provider: 'cloud_keystore',
    keyCollection: 'keys',
    credentials: {
      tenantIDSecretRef: from('one'),
      clientIDSecretRef: from('one'),
      clientSecretSecretRef: from('one'),
    },
  }),
  fields: [
    field('/connectionRef', { name: 'secrets' }, { name: 'other' }),
    field('/externalName', '<name>-x', '<name>-y'),
    field('/mount', 'keymgmt', 'keymgmt-too'),
    field('/provider', 'cloud_keystore', 'other'),
    field('/keyCollection', 'keys', 'other'),
    ...Object.keys(credentials).map((at) => field(at, from('one'), from('two'))),
    field('/credentials/environment', 'China', 'GovernmentCloud'),
  ],
  policies: envelope,
};
