// LDAPConfig: what may be declared, with the same verdict from the parser and from the CRD.
import { describe, expect, test } from 'vitest';
import { declaration, type Spec } from '../../../src/kinds/ldap-config/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { referencesIn } from '../../../src/schema/references.ts';
import { testAgreement, verdicts } from '../../schema/verdicts.ts';

const small: Spec = { connectionRef: { name: 'production' }, mount: 'ldap', bindDN: 'cn=admin' };
const ref = (key: string) => ({ name: 'ldap', key });

/** Every field that there is, but length, which excludes passwordPolicy. */
const full: Spec = {
  ...small,
  managementPolicy: 'Full',
  adoptionPolicy: 'AdoptIfIdentical',
  deletionPolicy: 'Delete',
  drift: { mode: 'Correct', interval: '10m', ignore: ['/urls'] },
  suspend: false,
  mount: 'team-a/ldap.corp',
  bindPasswordSecretRef: ref('password'),
  urls: ['ldap://embedded', 'ldaps://directory.example.com:636', 'ldap://[::1]'],
  schema: 'ad',
  userDN: 'ou=people,dc=example,dc=org',
  userAttr: 'sAMAccountName',
  upnDomain: 'example.org',
  passwordPolicy: 'long',
  requestTimeout: '90s',
  connectionTimeout: '1m30s',
  startTLS: true,
  insecureTLS: false,
  caSecretRef: ref('ca'),
  clientCertificateSecretRef: ref('cert'),
  clientKeySecretRef: ref('key'),
  tlsMinVersion: 'tls12',
  tlsMaxVersion: 'tls13',
  caseSensitiveNames: true,
  skipStaticRoleImportRotation: true,
};

const said = (spec: unknown, old?: unknown): string => {
  const checked = validate(declaration, { spec }, old);
  return 'problems' in checked ? checked.problems.map((p) => p.message).join('\n') : '';
};

test('what people declare is accepted as it is, by the parser and by the CRD', () => {
  const { passwordPolicy: _policy, ...others } = full;
  for (const spec of [small, full, { ...others, length: 8 }]) {
    expect(said(spec)).toBe('');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: true, crd: true });
  }
});

const many = (count: number) => Array.from({ length: count }, (_, at) => `ldap://host-${at}`);

describe('what is wrong is refused by both, at its place', () => {
  test.for<{ why: string; more: object; says: string }>([
    { why: 'out of the API', more: { mount: '../sys' }, says: '/spec/mount: expected the path of a mount' },
    { why: 'a climb inside', more: { mount: 'a/../b' }, says: '/spec/mount: expected the path of a mount' },
    {
      why: 'a slash at the end',
      more: { mount: 'ldap/' },
      says: '/spec/mount: expected the path of a mount',
    },
    {
      why: 'a slash at the start',
      more: { mount: '/ldap' },
      says: '/spec/mount: expected the path of a mount',
    },
    { why: 'a query', more: { mount: 'ldap?x=1' }, says: '/spec/mount: expected the path of a mount' },
    { why: 'no mount', more: { mount: '' }, says: '/spec/mount: expected the path of a mount' },
    { why: 'too long a mount', more: { mount: 'x'.repeat(129) }, says: '/spec/mount: expected' },
    {
      why: 'an auth method',
      more: { mount: 'auth/ldap' },
      says: '/spec/mount: must be the mount of a secrets engine',
    },
    {
      why: 'the system itself',
      more: { mount: 'sys' },
      says: '/spec/mount: must be the mount of a secrets engine',
    },
    { why: 'two lines in a DN', more: { bindDN: 'cn=a\ncn=b' }, says: '/spec/bindDN: expected one line' },
    { why: 'no address', more: { urls: [] }, says: '/spec/urls: expected at least 1 entry' },
    { why: 'too many addresses', more: { urls: many(9) }, says: '/spec/urls: expected at most 8 entries' },
    {
      why: 'two addresses in one',
      more: { urls: ['ldap://a,ldap://b'] },
      says: '/spec/urls/0: expected ldap(s)://host',
    },
    { why: 'another scheme', more: { urls: ['http://a'] }, says: '/spec/urls/0: expected ldap(s)://host' },
    {
      why: 'another schema',
      more: { schema: 'openldap' },
      says: '/spec/schema: expected one of ldap, ad, racf',
    },
    {
      why: 'length and policy',
      more: { length: 8, passwordPolicy: 'x' },
      says: '/spec/length: length and passwordPolicy exclude each other',
    },
    { why: 'no length', more: { length: 0 }, says: '/spec/length: expected' },
    { why: 'too long a length', more: { length: 1025 }, says: '/spec/length: expected' },
    { why: 'half a number', more: { length: 8.5 }, says: '/spec/length: expected' },
    {
      why: 'a bare number of seconds',
      more: { requestTimeout: 90 },
      says: '/spec/requestTimeout: expected a duration',
    },
    {
      why: 'no wait at all',
      more: { connectionTimeout: '0s' },
      says: '/spec/connectionTimeout: expected a duration',
    },
    {
      why: 'a key without a certificate',
      more: { clientKeySecretRef: ref('k') },
      says: '/spec: a client certificate and its key go together',
    },
    {
      why: 'a certificate without a key',
      more: { clientCertificateSecretRef: ref('k') },
      says: '/spec: a client certificate and its key go together',
    },
    {
      why: 'versions the wrong way round',
      more: { tlsMinVersion: 'tls13', tlsMaxVersion: 'tls12' },
      says: '/spec/tlsMinVersion: must not be above tlsMaxVersion',
    },
    {
      why: 'no such version',
      more: { tlsMinVersion: 'tls14' },
      says: '/spec/tlsMinVersion: expected one of',
    },
    {
      why: 'a password in the open',
      more: { bindpass: 'hunter2' },
      says: '/spec/bindpass: unknown field "bindpass"',
    },
    {
      why: 'a Secret of another namespace',
      more: { bindPasswordSecretRef: { ...ref('p'), namespace: 'x' } },
      says: '/spec/bindPasswordSecretRef/namespace: unknown field',
    },
    {
      why: 'its name is its mount',
      more: { externalName: 'ldap' },
      says: '/spec/externalName: unknown field',
    },
    {
      why: 'there is nothing to replace',
      more: { replacePolicy: 'Never' },
      says: '/spec/replacePolicy: unknown field',
    },
    {
      why: 'there is nothing to deregister',
      more: { deletionPolicy: 'Deregister' },
      says: '/spec/deletionPolicy: expected one of Retain, Delete',
    },
  ])('$why', ({ more, says }) => {
    const spec = { ...small, ...more };
    expect(said(spec)).toContain(says);
    expect(said(spec)).not.toContain('hunter2');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: false, crd: false });
  });

  test.for(['mount', 'bindDN', 'connectionRef'] as const)('without %s there is nothing to do', (name) => {
    const spec: Partial<Spec> = { ...small };
    delete spec[name];
    expect(said(spec)).toContain(`/spec/${name}: is required`);
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

testAgreement(declaration, [full]);

test('references are its connection, which waits for it, and its Secrets, all in its own namespace', () => {
  const key = { kind: 'LDAPConfig', namespace: 'shop', name: 'directory' };
  const found = referencesIn(declaration.references, full, key);
  expect(found[0]).toStrictEqual({
    to: 'object',
    field: '/connectionRef',
    target: { kind: 'SecretsConnection', namespace: '', name: 'production' },
    holds: true,
  });
  expect(
    found.slice(1).map((one) => `${one.field} ${one.target.namespace}/${one.target.name}`),
  ).toStrictEqual([
    '/bindPasswordSecretRef shop/ldap',
    '/caSecretRef shop/ldap',
    '/clientCertificateSecretRef shop/ldap',
    '/clientKeySecretRef shop/ldap',
  ]);
});
