import { describe, expect, test } from 'vitest';
import { declaration, type Spec } from '../../../src/kinds/scheduler-connection/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { referencesIn } from '../../../src/schema/references.ts';
import { testAgreement, verdicts } from '../../schema/verdicts.ts';

const small: Spec = { addresses: ['embedded'], dialect: 'cluster' };
const ref = (name: string) => ({ namespace: 'holdfast-system', name, key: 'value' });

/** Every field that there is. */
const full: Spec = {
  addresses: ['https://nomad.example.com:4646', 'http://10.0.0.1', 'https://[::1]:4646'],
  dialect: 'nomad',
  region: 'eu',
  namespace: 'default',
  auth: { tokenSecretRef: ref('nomad') },
  tls: {
    caSecretRef: ref('ca'),
    clientCertificateSecretRef: ref('cert'),
    clientKeySecretRef: ref('key'),
    serverName: 'server.eu.nomad',
  },
  access: [{ namespaces: ['shop'], kinds: ['CSIVolume'], externalNames: ['shop-*'], actions: ['Exec'] }],
  probeHosts: ['ldap.example.com'],
  defaults: { adoptionPolicy: 'AdoptIfIdentical', drift: { mode: 'Warn', interval: '1h' } },
  limits: { maxConcurrent: 32, deletions: { perHour: 20, percent: 30 } },
  backendID: 'production',
};

const said = (spec: unknown): readonly string[] => {
  const checked = validate(declaration, { spec });
  return 'problems' in checked ? checked.problems.map((p) => p.message) : [];
};

test('what people declare is accepted as it is, by the parser and by the CRD', () => {
  for (const spec of [small, full]) {
    expect(said(spec)).toStrictEqual([]);
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: true, crd: true });
  }
});

const form =
  '"embedded", or http(s)://host:port without user, path, query and trailing slash, and a port from 1 to 65535';
test.each([
  { address: 'nomad:4646', why: 'no scheme' },
  { address: 'HTTPS://nomad', why: 'one spelling only, else one backend has two identities' },
  { address: 'ftp://nomad', why: 'another scheme' },
  { address: 'https://nomad/', why: 'a trailing slash' },
  { address: 'https://nomad/v1', why: 'a path' },
  { address: 'https://nomad?x=1', why: 'a query' },
  { address: 'https://nomad#x', why: 'a fragment' },
  { address: 'https://no mad', why: 'a space' },
  { address: 'https://nomad\n', why: 'a line end' },
  { address: 'https://nömad', why: 'letters that look like others' },
  { address: 'https://nomad:46460000', why: 'too many digits of a port' },
  { address: 'https://', why: 'no host' },
  { address: 'file:///etc/passwd', why: 'a file' },
  { address: 'Embedded', why: 'one spelling only' },
])('address $address is refused: $why', ({ address }) => {
  expect(said({ ...small, addresses: [address] })).toStrictEqual([
    `/spec/addresses/0: expected ${form}, got ${JSON.stringify(address)}`,
  ]);
  expect(verdicts(declaration, { ...small, addresses: [address] })).toStrictEqual({
    parser: false,
    crd: false,
  });
});

test('a password in an address is refused and not repeated', () => {
  expect(said({ ...small, addresses: ['https://user:hunter2@nomad'] })).toStrictEqual([
    `/spec/addresses/0: expected ${form}, got "https://…@nomad"`,
  ]);
});

test.each([
  { address: 'https://nomad:65536', why: 'no such port' },
  { address: 'https://1.2.3.999', why: 'no such address' },
  { address: 'https://[::zz]', why: 'no hexadecimal' },
  { address: 'https://[:::]', why: 'no IPv6' },
])('address $address has the form and is no URL: $why', ({ address }) => {
  const [message = '', ...others] = said({ ...small, addresses: [address] });
  expect(others).toStrictEqual([]);
  expect(message).toMatch(/^\/spec\/addresses(\/0)?: (every address must be|expected "embedded")/);
});

describe('what is wrong is refused by both, at its place', () => {
  test.each([
    { more: { addresses: [] }, says: '/spec/addresses: expected at least 1 entry', why: 'no address' },
    {
      more: { addresses: Array.from({ length: 9 }, () => 'http://a') },
      says: '/spec/addresses: expected at most 8 entries',
      why: 'too many addresses',
    },
    {
      more: { addresses: ['embedded', 'http://a'] },
      says: '/spec/addresses: embedded must be the only address',
      why: 'two different schedulers',
    },
    {
      more: { dialect: 'consul' },
      says: '/spec/dialect: expected one of cluster, nomad, got "consul"',
      why: 'another product',
    },
    {
      more: { token: 'hunter2' },
      says: '/spec/token: unknown field "token"',
      why: 'a token in the open: refused and not repeated',
    },
    { more: { auth: {} }, says: '/spec/auth/tokenSecretRef: is required', why: 'auth by nothing' },
    {
      more: { auth: { tokenSecretRef: { name: 'a', key: 'b' } } },
      says: '/spec/auth/tokenSecretRef/namespace: is required',
      why: 'a cluster-scoped object has no namespace of its own',
    },
    {
      more: { tls: { clientKeySecretRef: ref('k') } },
      says: '/spec/tls: a client certificate and its key go together',
      why: 'a key without a certificate',
    },
    {
      more: { tls: { clientCertificateSecretRef: ref('k') } },
      says: '/spec/tls: a client certificate and its key',
      why: 'a certificate without a key',
    },
    {
      more: { tls: { skipVerify: true } },
      says: '/spec/tls/skipVerify: unknown field',
      why: 'no way around verification',
    },
    {
      more: { access: [{ namespace: 'shop' }] },
      says: '/spec/access/0/namespace: unknown field "namespace": did you mean "namespaces"?',
      why: 'a typing mistake must not allow everybody',
    },
    {
      more: { access: [{ externalNames: ['*-data'] }] },
      says: '/spec/access/0/externalNames/0: expected a name or prefix*',
      why: 'a pattern that would match nothing',
    },
    {
      more: { access: [{ namespaces: [''] }] },
      says: '/spec/access/0/namespaces/0: expected a name',
      why: 'an empty name',
    },
    {
      more: { access: Array.from({ length: 65 }, () => ({})) },
      says: '/spec/access: expected at most 64',
      why: 'too many lines',
    },
    {
      more: { access: [{ actions: ['exec'] }] },
      says: '/spec/access/0/actions/0: expected one of Exec, Restart, Signal, Stop',
      why: 'a word in lower case',
    },
    {
      more: { limits: { maxConcurrent: 0 } },
      says: '/spec/limits/maxConcurrent: expected at least 1, got 0',
      why: 'nothing would ever be sent',
    },
    {
      more: { limits: { maxConcurrent: 257 } },
      says: '/spec/limits/maxConcurrent: expected at most 256, got 257',
      why: 'more than a service allows',
    },
    {
      more: { limits: { deletions: { percent: 101 } } },
      says: '/spec/limits/deletions/percent: expected at most 100',
      why: 'more than everything',
    },
    {
      more: { limits: { deletions: { perHour: '20' } } },
      says: '/spec/limits/deletions/perHour: expected a whole number',
      why: 'a quoted number',
    },
    {
      more: { defaults: { deletionPolicy: 'Delete' } },
      says: '/spec/defaults/deletionPolicy: unknown field',
      why: 'deleting is never a default for others',
    },
    { more: { namespace: 'a/b' }, says: '/spec/namespace: expected a name of letters', why: 'a path' },
    { more: { region: 'eu west' }, says: '/spec/region: expected a name of letters', why: 'a space' },
    { more: { backendID: '' }, says: '/spec/backendID: expected one line', why: 'an identity of nothing' },
  ])('$why', ({ more, says }) => {
    expect(said({ ...small, ...more }).join('\n')).toContain(says);
    expect(said({ ...small, ...more }).join('\n')).not.toContain('hunter2');
    expect(verdicts(declaration, { ...small, ...more })).toStrictEqual({ parser: false, crd: false });
  });
});

testAgreement(declaration, [full]);

test('references are the secrets, each in the namespace that it names', () => {
  const key = { kind: 'SchedulerConnection', namespace: '', name: 'production' };
  expect(referencesIn(declaration.references, full, key)).toStrictEqual(
    [
      ['/auth/tokenSecretRef', 'nomad'],
      ['/tls/caSecretRef', 'ca'],
      ['/tls/clientCertificateSecretRef', 'cert'],
      ['/tls/clientKeySecretRef', 'key'],
    ].map(([field, name]) => ({
      to: 'secret',
      field,
      entry: 'value',
      target: { kind: 'Secret', namespace: 'holdfast-system', name },
    })),
  );
});
