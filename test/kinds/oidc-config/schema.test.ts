// OIDCConfig: what may be declared, with the same verdict from the parser and from the CRD.
import { describe, expect, test } from 'vitest';
import { declaration, type Spec } from '../../../src/kinds/oidc-config/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { referencesIn } from '../../../src/schema/references.ts';
import { testAgreement, verdicts } from '../../schema/verdicts.ts';

const small: Spec = {
  connectionRef: { name: 'production' },
  mount: 'oidc',
  discoveryURL: 'https://login.example.com',
};
const client = { clientID: 'holdfast', clientSecretSecretRef: { name: 'oidc', key: 'secret' } };
const workspace = {
  provider: 'workspace_directory',
  serviceAccountSecretRef: { name: 'oidc', key: 'account' },
  adminImpersonate: 'admin@example.org',
} as const;
const pem = '-----BEGIN CERTIFICATE-----\nMIIB+/=\n-----END CERTIFICATE-----\n';

/** Every field that there is, but serviceAccountPath, which excludes the reference. */
const full: Spec = {
  ...small,
  ...client,
  managementPolicy: 'Full',
  adoptionPolicy: 'AdoptIfIdentical',
  drift: { mode: 'Correct', interval: '10m', ignore: ['/boundIssuer'] },
  suspend: false,
  mount: 'team-a/oidc',
  identityProvider: 'WorkspaceDirectory',
  discoveryURL: 'https://login.example.com:8443/a/',
  discoveryCA: pem + pem,
  defaultRole: 'staff',
  boundIssuer: 'https://login.example.com',
  jwtSupportedAlgs: ['RS256', 'EdDSA'],
  responseMode: 'form_post',
  responseTypes: ['code', 'id_token'],
  namespaceInState: true,
  providerConfig: {
    ...workspace,
    fetchGroups: true,
    fetchUserInfo: true,
    groupsRecurseMaxDepth: 5,
    userCustomSchemas: ['Staff'],
  },
};

/** As the rules of each provider have it. */
const providers: readonly Partial<Spec>[] = [
  { identityProvider: 'CloudDirectory', discoveryURL: 'https://idp/tenant/v2.0' },
  {
    identityProvider: 'CloudDirectory',
    discoveryURL: 'https://idp/tenant/v2.0',
    providerConfig: { provider: 'cloud_directory' },
  },
  { identityProvider: 'Hosted' },
  { identityProvider: 'SourceHosting' },
  { identityProvider: 'WorkspaceDirectory', providerConfig: workspace },
  { identityProvider: 'OpenSource', discoveryURL: 'http://localhost:8080/realms/staff' },
  { identityProvider: 'Enterprise', discoveryURL: 'https://login.example.com/oauth2/default' },
  { providerConfig: { provider: 'cloud_directory' } },
];

const said = (spec: unknown, old?: unknown): string => {
  const checked = validate(declaration, { spec }, old);
  return 'problems' in checked ? checked.problems.map((p) => p.message).join('\n') : '';
};

test('what people declare is accepted as it is, by the parser and by the CRD', () => {
  const { serviceAccountSecretRef: _ref, ...rest } = workspace;
  const inFile = { providerConfig: { ...rest, serviceAccountPath: '/etc/key.json' } };
  const all = [small, full, ...[...providers, inFile].map((more) => ({ ...small, ...client, ...more }))];
  for (const spec of all) {
    expect(said(spec)).toBe('');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: true, crd: true });
  }
});

describe('what can not work is refused by both, at its place', () => {
  test.for<{ why: string; more: object; says: string }>([
    { why: 'out of the API', more: { mount: '../sys' }, says: '/spec/mount: expected the path of an auth' },
    { why: 'auth/ twice', more: { mount: 'auth/oidc' }, says: '/spec/mount: must leave out auth/' },
    {
      why: 'another scheme',
      more: { discoveryURL: 'ldap://a' },
      says: '/spec/discoveryURL: expected http(s)://host',
    },
    {
      why: 'a query',
      more: { discoveryURL: 'https://a?b' },
      says: '/spec/discoveryURL: expected http(s)://host',
    },
    {
      why: 'the document instead of the issuer',
      more: { discoveryURL: 'https://a/.well-known/openid-configuration' },
      says: '/spec/discoveryURL: must be the issuer',
    },
    {
      why: 'a key where certificates belong',
      more: { discoveryCA: '-----BEGIN PRIVATE KEY-----' },
      says: '/spec/discoveryCA: expected certificates as PEM',
    },
    {
      why: 'a client without its secret',
      more: { clientID: 'a' },
      says: '/spec: clientID and clientSecretSecretRef go together',
    },
    {
      why: 'a secret without a client',
      more: { clientSecretSecretRef: client.clientSecretSecretRef },
      says: '/spec: clientID and clientSecretSecretRef go together',
    },
    {
      why: 'a secret in the open',
      more: { oidc_client_secret: 'hunter2' },
      says: '/spec/oidc_client_secret: unknown field',
    },
    {
      why: 'a spelling that the service changes',
      more: { defaultRole: 'Staff' },
      says: '/spec/defaultRole: expected a name',
    },
    {
      why: 'an algorithm of shared secrets',
      more: { jwtSupportedAlgs: ['HS256'] },
      says: '/spec/jwtSupportedAlgs/0: expected one of',
    },
    {
      why: 'an ID token in a query',
      more: { responseTypes: ['id_token'] },
      says: '/spec/responseTypes: id_token needs responseMode: form_post',
    },
    {
      why: 'the service deletes none',
      more: { deletionPolicy: 'Delete' },
      says: '/spec/deletionPolicy: unknown field',
    },
    {
      why: 'a login of a provider without a client',
      more: { identityProvider: 'OpenSource' },
      says: '/spec/identityProvider: a login with this provider needs clientID',
    },
    {
      why: 'an endpoint that tells no groups',
      more: { ...client, identityProvider: 'CloudDirectory', discoveryURL: 'https://idp/tenant/' },
      says: '/spec/discoveryURL: must end in /v2.0',
    },
    {
      why: 'a directory of another provider',
      more: { ...client, identityProvider: 'Hosted', providerConfig: { provider: 'cloud_directory' } },
      says: '/spec/providerConfig/provider: must be that of identityProvider',
    },
    {
      why: 'another provider than is said',
      more: {
        ...client,
        identityProvider: 'WorkspaceDirectory',
        providerConfig: { provider: 'cloud_directory' },
      },
      says: '/spec/providerConfig/provider: must be that of identityProvider',
    },
    {
      why: 'a cloud directory has only its name',
      more: { providerConfig: { provider: 'cloud_directory', fetchGroups: true } },
      says: '/spec/providerConfig: cloud_directory has no other fields',
    },
    {
      why: 'a workspace directory without an account',
      more: { providerConfig: { provider: 'workspace_directory', adminImpersonate: 'a' } },
      says: '/spec/providerConfig: workspace_directory needs a service account',
    },
    {
      why: 'and without an administrator',
      more: { providerConfig: { provider: 'workspace_directory', serviceAccountPath: '/a' } },
      says: '/spec/providerConfig: workspace_directory needs a service account',
    },
    {
      why: 'two accounts',
      more: { providerConfig: { ...workspace, serviceAccountPath: '/a' } },
      says: '/spec/providerConfig: serviceAccountSecretRef and serviceAccountPath exclude',
    },
    {
      why: 'users without schemas to read',
      more: { providerConfig: { ...workspace, fetchUserInfo: true, userCustomSchemas: [] } },
      says: '/spec/providerConfig/userCustomSchemas: fetchUserInfo needs',
    },
    {
      why: 'two schemas in one',
      more: { providerConfig: { ...workspace, userCustomSchemas: ['a,b'] } },
      says: '/spec/providerConfig/userCustomSchemas/0: expected the name of a schema',
    },
    {
      why: 'a depth below 0',
      more: { providerConfig: { ...workspace, groupsRecurseMaxDepth: -1 } },
      says: '/spec/providerConfig/groupsRecurseMaxDepth: expected',
    },
  ])('$why', ({ more, says }) => {
    const spec = { ...small, ...more };
    expect(said(spec)).toContain(says);
    expect(said(spec)).not.toContain('hunter2');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: false, crd: false });
  });
});

test('mount and connection never change; all else does', () => {
  for (const [path, more] of [
    ['/spec/mount', { mount: 'other' }],
    ['/spec/connectionRef', { connectionRef: { name: 'other' } }],
  ] as const) {
    expect(said({ ...small, ...more }, small)).toContain(`${path}: never changes`);
    expect(verdicts(declaration, { ...small, ...more }, small)).toStrictEqual({ parser: false, crd: false });
  }
  expect(said({ ...full, mount: small.mount }, small)).toBe('');
});

testAgreement(declaration, [full, ...providers.map((more) => ({ ...small, ...client, ...more }))]);

test('references are its connection, which waits for it, and its Secrets, all in its own namespace', () => {
  const found = referencesIn(declaration.references, full, {
    kind: 'OIDCConfig',
    namespace: 'shop',
    name: 'staff',
  });
  expect(found.map(({ field, target }) => `${field} ${target.namespace}/${target.name}`)).toStrictEqual([
    '/connectionRef /production',
    '/clientSecretSecretRef shop/oidc',
    '/providerConfig/serviceAccountSecretRef shop/oidc',
  ]);
  expect(found[0]).toMatchObject({ holds: true });
});
