// SecretsConnection: what may be declared, with the same verdict from the parser and from the CRD.
import { describe, expect, test } from 'vitest';
import { declaration, type Spec } from '../../../src/kinds/secrets-connection/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { referencesIn } from '../../../src/schema/references.ts';
import { testAgreement, verdicts } from '../../schema/verdicts.ts';

const ref = (name: string) => ({ namespace: 'holdfast-system', name, key: 'value' });
const byToken = { tokenSecretRef: ref('vault') };
const small: Spec = { addresses: ['embedded'], dialect: 'secrets', auth: byToken };

/** Every field that there is. */
const full: Spec = {
  addresses: ['https://vault.example.com:8200', 'http://10.0.0.1'],
  dialect: 'vault',
  namespace: 'team-a/prod',
  auth: byToken,
  tls: {
    caSecretRef: ref('ca'),
    clientCertificateSecretRef: ref('cert'),
    clientKeySecretRef: ref('key'),
    serverName: 'vault.internal',
  },
  access: [{ namespaces: ['shop'], kinds: ['LDAPConfig'], externalNames: ['team-a/*'] }],
  probeHosts: ['ldap.example.com'],
  defaults: { adoptionPolicy: 'AdoptIfIdentical', drift: { mode: 'Warn', interval: '1h' } },
  limits: { maxConcurrent: 32, deletions: { perHour: 20, percent: 30 } },
  backendID: 'production',
};

const ways: readonly Spec['auth'][] = [
  byToken,
  { kubernetes: { role: 'holdfast' } },
  { kubernetes: { mount: 'team/kubernetes', role: 'holdfast', tokenFile: '/var/run/token' } },
  { kubernetes: { role: 'holdfast', serviceAccountRef: { namespace: 'shop', name: 'login' } } },
  {
    kubernetes: {
      role: 'holdfast',
      serviceAccountRef: { namespace: 'shop', name: 'login', audiences: ['vault'] },
    },
  },
  { appRole: { roleID: 'holdfast', secretIDSecretRef: ref('approle') } },
  { appRole: { mount: 'approle-2', roleID: 'holdfast', secretIDSecretRef: ref('approle') } },
  { jwt: { role: 'holdfast', jwtSecretRef: ref('jwt') } },
  { jwt: { mount: 'jwt.corp', role: 'holdfast', jwtSecretRef: ref('jwt') } },
];

const said = (spec: unknown): string => {
  const checked = validate(declaration, { spec });
  return 'problems' in checked ? checked.problems.map((p) => p.message).join('\n') : '';
};

test('what people declare is accepted as it is, by the parser and by the CRD', () => {
  const { auth: _, ...onEmbedded } = small;
  for (const spec of [small, onEmbedded, full, ...ways.map((auth) => ({ ...full, auth }))]) {
    expect(said(spec)).toBe('');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: true, crd: true });
  }
});

const oneWay = '/spec/auth: exactly one of tokenSecretRef, kubernetes, appRole, jwt is needed';

describe('what is wrong is refused by both, at its place', () => {
  test.for<{ why: string; more: object; says: string }>([
    { why: 'no way in', more: { auth: {} }, says: oneWay },
    { why: 'two ways in', more: { auth: { ...byToken, kubernetes: { role: 'x' } } }, says: oneWay },
    { why: 'two others', more: { auth: { ...ways[5], ...ways[7] } }, says: oneWay },
    { why: 'nobody at all', more: { auth: undefined }, says: '/spec/auth: is required' },
    { why: 'no role', more: { auth: { kubernetes: {} } }, says: '/spec/auth/kubernetes/role: is required' },
    {
      why: 'a file of the working directory',
      more: { auth: { kubernetes: { role: 'x', tokenFile: 'token' } } },
      says: '/spec/auth/kubernetes/tokenFile: expected an absolute path',
    },
    {
      why: 'a token of its own, and one of somebody else',
      more: {
        auth: {
          kubernetes: {
            role: 'x',
            tokenFile: '/run/token',
            serviceAccountRef: { namespace: 'shop', name: 'login' },
          },
        },
      },
      says: '/spec/auth/kubernetes: tokenFile and serviceAccountRef exclude each other',
    },
    {
      why: 'a service account of no namespace',
      more: { auth: { kubernetes: { role: 'x', serviceAccountRef: { name: 'login' } } } },
      says: '/spec/auth/kubernetes/serviceAccountRef/namespace: is required',
    },
    {
      why: 'a mount that climbs',
      more: { auth: { kubernetes: { role: 'x', mount: '../sys' } } },
      says: '/spec/auth/kubernetes/mount: expected the path of an auth method',
    },
    {
      why: 'a Secret of no namespace',
      more: { auth: { tokenSecretRef: { name: 'a', key: 'b' } } },
      says: '/spec/auth/tokenSecretRef/namespace: is required',
    },
    { why: 'a token in the open', more: { token: 'hunter2' }, says: '/spec/token: unknown field "token"' },
    {
      why: 'another product',
      more: { dialect: 'nomad' },
      says: '/spec/dialect: expected one of secrets, vault',
    },
    {
      why: 'a namespace with a slash at its end',
      more: { namespace: 'a/' },
      says: '/spec/namespace: expected',
    },
    { why: 'a namespace of two lines', more: { namespace: 'a\nb' }, says: '/spec/namespace: expected' },
    {
      why: 'two different services',
      more: { addresses: ['embedded', 'http://a'] },
      says: '/spec/addresses: embedded must be the only address',
    },
    { why: 'no address', more: { addresses: [] }, says: '/spec/addresses: expected at least 1 entry' },
    {
      why: 'no such port',
      more: { addresses: ['https://a:65536'] },
      says: '/spec/addresses/0: expected "embedded", or http(s)://host:port',
    },
    {
      why: 'a key without a certificate',
      more: { tls: { clientKeySecretRef: ref('k') } },
      says: '/spec/tls: a client certificate and its key go together',
    },
    {
      why: 'actions on allocations, which it has none of',
      more: { access: [{ actions: ['Exec'] }] },
      says: '/spec/access/0/actions: unknown field',
    },
    { why: 'a region', more: { region: 'eu' }, says: '/spec/region: unknown field' },
  ])('$why', ({ more, says }) => {
    const spec = { ...small, ...more };
    expect(said(spec)).toContain(says);
    expect(said(spec)).not.toContain('hunter2');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: false, crd: false });
  });
});

testAgreement(
  declaration,
  ways.map((auth) => ({ ...full, auth })),
  { isNew: true },
);

test('references are the secrets, each in the namespace that it names', () => {
  const key = { kind: 'SecretsConnection', namespace: '', name: 'production' };
  const found = ways.flatMap((auth) => referencesIn(declaration.references, { ...full, auth }, key));
  expect(
    new Set(found.map(({ field, target }) => `${field} ${target.namespace}/${target.name}`)),
  ).toStrictEqual(
    new Set([
      '/auth/tokenSecretRef holdfast-system/vault',
      '/auth/appRole/secretIDSecretRef holdfast-system/approle',
      '/auth/jwt/jwtSecretRef holdfast-system/jwt',
      '/tls/caSecretRef holdfast-system/ca',
      '/tls/clientCertificateSecretRef holdfast-system/cert',
      '/tls/clientKeySecretRef holdfast-system/key',
    ]),
  );
});
