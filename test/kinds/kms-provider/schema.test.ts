// KMSProvider: what may be declared, with the same verdict from the parser and from the CRD.
import { describe, expect, test } from 'vitest';
import { declaration, type Spec } from '../../../src/kinds/kms-provider/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { referencesIn } from '../../../src/schema/references.ts';
import { testAgreement, verdicts } from '../../schema/verdicts.ts';
import { credentials, declared, key } from './situation.ts';

const { credentials: _credentials, ...small } = declared;

/** Every field that there is. */
const full: Spec = {
  ...small,
  externalName: 'Invoices_2.of-shop',
  managementPolicy: 'Full',
  adoptionPolicy: 'AdoptIfIdentical',
  deletionPolicy: 'Delete',
  drift: { mode: 'Correct', interval: '10m', ignore: ['/credentials'] },
  suspend: false,
  mount: 'team-a/keymgmt',
  keyCollection: 'Invoices keys',
  credentials: { ...credentials, environment: 'GovernmentCloud' },
};

const said = (spec: unknown, old?: unknown): string => {
  const checked = validate(declaration, { spec }, old);
  return 'problems' in checked ? checked.problems.map((p) => p.message).join('\n') : '';
};

test('what people declare is accepted as it is, by the parser and by the CRD', () => {
  const { clientSecretSecretRef, ...some } = credentials;
  const parts: readonly Spec['credentials'][] = [
    {},
    some,
    { clientSecretSecretRef },
    { environment: 'China' },
  ];
  for (const spec of [small, declared, full, ...parts.map((part) => ({ ...small, credentials: part }))]) {
    expect(said(spec)).toBe('');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: true, crd: true });
  }
});

describe('what can not work is refused by both, at its place', () => {
  test.for<{ why: string; spec: object; says: string }>([
    {
      why: 'a credential in the open',
      spec: { ...small, credentials: { clientSecret: 'canary' } },
      says: '/spec/credentials/clientSecret: unknown field',
    },
    {
      why: 'a credential in the place of its reference',
      spec: { ...small, credentials: { clientSecretSecretRef: 'canary' } },
      says: '/spec/credentials/clientSecretSecretRef: expected',
    },
    {
      why: 'a Secret of another namespace',
      spec: { ...small, credentials: { tenantIDSecretRef: { namespace: 'blog', name: 'a', key: 'b' } } },
      says: '/spec/credentials/tenantIDSecretRef/namespace: unknown field',
    },
    {
      why: 'a key store of another sort',
      spec: { ...small, provider: 'awskms' },
      says: '/spec/provider: expected',
    },
    { why: 'no collection', spec: { ...small, keyCollection: '' }, says: '/spec/keyCollection: expected' },
    {
      why: 'what is no secrets engine',
      spec: { ...small, mount: 'auth/oidc' },
      says: '/spec/mount: must be the mount of a secrets engine',
    },
    {
      why: 'a name that the service takes for another path',
      spec: { ...small, externalName: 'invoices-' },
      says: '/spec/externalName: expected a name',
    },
    {
      why: 'an environment that is an address',
      spec: { ...small, credentials: { environment: 'https://cloud' } },
      says: '/spec/credentials/environment: expected the name of a cloud environment',
    },
    {
      why: 'what the service calls a field',
      spec: { ...small, key_collection: 'a' },
      says: '/spec/key_collection: unknown field',
    },
    {
      why: 'there is nothing to replace',
      spec: { ...small, replacePolicy: 'Never' },
      says: '/spec/replacePolicy: unknown field',
    },
  ])('$why', ({ spec, says }) => {
    expect(said(spec)).toContain(says);
    expect(said(spec)).not.toContain('canary');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: false, crd: false });
  });
});

test('where it is, and what it leads to, never changes; its credentials do', () => {
  for (const [path, more] of [
    ['/spec/connectionRef', { connectionRef: { name: 'other' } }],
    ['/spec/externalName', { externalName: 'other' }],
    ['/spec/mount', { mount: 'other' }],
    ['/spec/keyCollection', { keyCollection: 'other' }],
  ] as const) {
    expect(said({ ...small, ...more }, small)).toContain(`${path}: never changes`);
    expect(verdicts(declaration, { ...small, ...more }, small)).toStrictEqual({ parser: false, crd: false });
  }
  const before = { ...small, credentials: full.credentials };
  for (const more of [{ credentials }, { credentials: {} }, {}])
    expect(said({ ...small, ...more }, before)).toBe('');
});

test('the rule for the type of the key store is there before there is a second one', () => {
  const other = { ...small, provider: 'other' };
  expect(said(small, other)).toContain('/spec/provider: never changes');
});

testAgreement(declaration, [full, declared, small]);

test('it refers to its connection, which waits for it, and to its Secrets', () => {
  const entry = { namespace: 'shop', name: 'kms' };
  expect(referencesIn(declaration.references, full, key)).toStrictEqual([
    {
      to: 'object',
      field: '/connectionRef',
      target: { kind: 'SecretsConnection', namespace: '', name: 'production' },
      holds: true,
    },
    ...(['tenant', 'client', 'secret'] as const).map((name, at) => ({
      to: 'secret',
      field: `/credentials/${Object.keys(credentials)[at]}`,
      target: { kind: 'Secret', ...entry },
      entry: name,
    })),
  ]);
});
