// The fields of logins: the configuration of a method, and its roles.
import { absent, put, valuesOf, type Case } from './case.ts';
import { login, loginRole } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);
const secretRef = { name: 'staff', key: 'secret' };
const withClient = put(put(login, '/spec/clientID', 'holdfast'), '/spec/clientSecretSecretRef', secretRef);
const account = {
  provider: 'workspace_directory',
  serviceAccountSecretRef: secretRef,
  adminImpersonate: 'a@example.com',
};
const ofJWT = put(put(loginRole, '/spec/roleType', 'jwt'), '/spec/allowedRedirectURIs', absent);
const subject = put(ofJWT, '/spec/boundSubject', 'someone');

const configs: readonly Case[] = [
  ...valuesOf(login, '/spec/mount', {
    valid: ['oidc', 'teams/oidc', 'a_b-c.d'],
    invalid: ['', 'auth/oidc', '/oidc', 'oidc/', 'a//b', 'a/../b', 'a b', absent],
  }),
  ...valuesOf(login, '/spec/discoveryURL', {
    valid: ['https://login.example.com/', 'https://login.example.com:8443/a/b'],
    invalid: [
      '',
      'login.example.com',
      'ftp://login.example.com',
      'https://login.example.com/.well-known/openid-configuration',
      absent,
    ],
  }),
  ...valuesOf(login, '/spec/clientID', { invalid: ['holdfast', '', 'a\nb'] }),
  ...valuesOf(login, '/spec/clientSecretSecretRef', { invalid: [secretRef, 'secret'] }),
  ...valuesOf(withClient, '/spec/clientID', { valid: [x(512)], invalid: [x(513), 5, absent] }),
  ...valuesOf(withClient, '/spec/clientSecretSecretRef', {
    invalid: [{ name: 'staff' }, { ...secretRef, namespace: 'blog' }, absent],
  }),
  ...valuesOf(login, '/spec/identityProvider', { invalid: ['Enterprise', 'other'] }),
  ...valuesOf(withClient, '/spec/identityProvider', {
    valid: ['Hosted', 'SourceHosting', 'WorkspaceDirectory', 'OpenSource', 'Enterprise'],
    invalid: ['enterprise', ''],
  }),
  ...valuesOf(put(withClient, '/spec/identityProvider', 'CloudDirectory'), '/spec/discoveryURL', {
    valid: ['https://login.example.com/tenant/v2.0'],
    invalid: ['https://login.example.com/tenant'],
  }),
  ...valuesOf(login, '/spec/responseTypes', {
    valid: [[], ['code'], absent],
    invalid: [['id_token'], ['code', 'id_token'], ['token'], 'code'],
  }),
  ...valuesOf(put(login, '/spec/responseMode', 'form_post'), '/spec/responseTypes', {
    valid: [['id_token'], ['code', 'id_token']],
    invalid: [['code', 'id_token', 'code']],
  }),
  ...valuesOf(login, '/spec/jwtSupportedAlgs', {
    valid: [[], ['RS256', 'ES256']],
    invalid: [['none'], 'RS256'],
  }),
  ...valuesOf(withClient, '/spec/providerConfig', {
    valid: [
      { provider: 'cloud_directory' },
      account,
      { ...account, fetchGroups: true, groupsRecurseMaxDepth: 5 },
      { ...account, fetchUserInfo: true, userCustomSchemas: ['badge'] },
    ],
    invalid: [
      {},
      { provider: 'other' },
      { provider: 'cloud_directory', fetchGroups: true },
      { provider: 'workspace_directory' },
      { ...account, serviceAccountPath: '/account.json' },
      { ...account, fetchUserInfo: true },
      { ...account, groupsRecurseMaxDepth: 101 },
      { ...account, userCustomSchemas: ['a b'] },
    ],
  }),
];

const roles: readonly Case[] = [
  ...valuesOf(loginRole, '/spec/configRef', {
    valid: [{ name: 'a' }],
    invalid: [{ name: '../a' }, { name: 'a', namespace: 'blog' }, absent],
  }),
  ...valuesOf(loginRole, '/spec/externalName', { valid: ['staff', absent], invalid: ['', 'a/b', 'Staff'] }),
  ...valuesOf(loginRole, '/spec/userClaim', { valid: ['sub', '/a/b'], invalid: ['', absent, 5] }),
  ...valuesOf(loginRole, '/spec/allowedRedirectURIs', {
    valid: [['https://vault.example.com/ui/vault/auth/oidc/oidc/callback']],
    invalid: [[], [''], 'http://localhost:8250/oidc/callback', absent],
  }),
  ...valuesOf(loginRole, '/spec/roleType', { valid: ['oidc', absent], invalid: ['jwt', 'saml'] }),
  ...valuesOf(subject, '/spec/boundSubject', { valid: ['other'], invalid: [absent] }),
  ...valuesOf(ofJWT, '/spec/boundAudiences', { valid: [['a']], invalid: [[], [''], absent] }),
  ...valuesOf(loginRole, '/spec/claimMappings', {
    valid: [{}, { email: 'mail', name: 'name' }],
    invalid: [{ email: 'role' }, { email: 'a', name: 'a' }, { '': 'a' }, []],
  }),
  ...valuesOf(loginRole, '/spec/tokenTTL', { valid: ['1h', '90m'], invalid: ['1d', 'soon', -1] }),
  ...valuesOf(put(loginRole, '/spec/tokenMaxTTL', '1h'), '/spec/tokenTTL', {
    valid: ['1h', '30m'],
    invalid: ['61m'],
  }),
  ...valuesOf(put(loginRole, '/spec/tokenType', 'batch'), '/spec/tokenNumUses', {
    valid: [0, absent],
    invalid: [1],
  }),
  ...valuesOf(loginRole, '/spec/tokenBoundCIDRs', {
    valid: [['10.0.0.0/8'], ['::1']],
    invalid: [['example.com'], '10.0.0.0/8'],
  }),
  ...valuesOf(loginRole, '/spec/loginCheck', {
    valid: [
      {},
      { interval: '5m' },
      { interval: '24h' },
      { clientSecretSecretRef: { name: 'staff', key: 'client-secret' } },
      absent,
    ],
    invalid: [
      { interval: '4m59s' },
      { interval: '24h1s' },
      { interval: '1d' },
      { redirectURI: 'https://elsewhere.example.com/callback' },
      { clientSecretSecretRef: { namespace: 'other', name: 'staff', key: 'client-secret' } },
      true,
    ],
  }),
  ...valuesOf(loginRole, '/spec/scopes', { valid: [['profile']], invalid: [['a b'], ['a,b'], ['']] }),
];

export const loginCases: readonly Case[] = [...configs, ...roles];
