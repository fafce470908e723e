// OIDCRole: what may be declared, with the same verdict from the parser and from the CRD.
import { describe, expect, test } from 'vitest';
import { declaration, type Spec } from '../../../src/kinds/oidc-role/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { referencesIn } from '../../../src/schema/references.ts';
import { testAgreement, verdicts } from '../../schema/verdicts.ts';
import { callback, key } from './situation.ts';

const small: Spec = { configRef: { name: 'staff' }, userClaim: 'sub', allowedRedirectURIs: [callback] };
const jwt: Spec = { configRef: { name: 'staff' }, userClaim: 'sub', roleType: 'jwt' };

/** Every field that there is. */
const full: Spec = {
  ...small,
  externalName: 'people.all-of_them',
  managementPolicy: 'Full',
  adoptionPolicy: 'AdoptIfIdentical',
  deletionPolicy: 'Retain',
  drift: { mode: 'Correct', interval: '10m', ignore: ['/scopes'] },
  suspend: false,
  roleType: 'oidc',
  userClaim: '/user/name',
  userClaimJSONPointer: true,
  groupsClaim: 'groups',
  allowedRedirectURIs: [callback, 'https://v/ui/vault/auth/oidc/oidc/callback'],
  scopes: ['profile', 'https://graph.example.com/.default'],
  claimMappings: { '/Staff/team': 'team', name: 'name' },
  boundAudiences: ['api://default'],
  boundSubject: 'me',
  boundClaims: { team: ['a', 'b'] },
  boundClaimsType: 'glob',
  maxAge: '1h',
  expirationLeeway: '1m',
  notBeforeLeeway: '1m',
  clockSkewLeeway: '1m',
  verboseLogging: false,
  tokenPolicies: ['shop'],
  tokenTTL: '90m',
  tokenMaxTTL: '2h',
  tokenExplicitMaxTTL: '3h',
  tokenPeriod: '1h',
  tokenNumUses: 0,
  tokenType: 'service',
  tokenNoDefaultPolicy: true,
  tokenBoundCIDRs: ['10.0.0.0/8', '::1'],
};

const said = (spec: unknown, old?: unknown): string => {
  const checked = validate(declaration, { spec }, old);
  return 'problems' in checked ? checked.problems.map((p) => p.message).join('\n') : '';
};

test('what people declare is accepted as it is, by the parser and by the CRD', () => {
  const bound: readonly Partial<Spec>[] = [
    { boundAudiences: ['a'] },
    { boundSubject: 'a' },
    { boundClaims: { a: ['b'] } },
    { tokenBoundCIDRs: ['10.0.0.0/8'] },
    {
      tokenBoundCIDRs: ['::ffff:10.0.0.0/104', '::ffff:10.0.0.1', '::ffff:1:2:3/64', '2001:db8::/32', '::/0'],
    },
  ];
  const batch: Spec = { ...small, tokenType: 'batch', tokenNumUses: 0 };
  const equal: Spec = { ...small, tokenTTL: '60m', tokenMaxTTL: '1h' };
  for (const spec of [small, full, batch, equal, ...bound.map((more) => ({ ...jwt, ...more }))]) {
    expect(said(spec)).toBe('');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: true, crd: true });
  }
});

describe('what the service would refuse is refused by both, at its place', () => {
  test.for<{ why: string; spec: object; says: string }>([
    {
      why: 'a spelling that the service changes',
      spec: { ...small, externalName: 'Staff' },
      says: '/spec/externalName: expected a name',
    },
    {
      why: 'a login that comes back to nowhere',
      spec: { configRef: small.configRef, userClaim: 'sub' },
      says: '/spec/allowedRedirectURIs: a role of type oidc needs one',
    },
    {
      why: 'nor to an empty list',
      spec: { ...small, allowedRedirectURIs: [] },
      says: '/spec/allowedRedirectURIs: a role of type oidc needs one',
    },
    {
      why: 'a path in the place of a URI',
      spec: { ...small, allowedRedirectURIs: ['/oidc/callback'] },
      says: '/spec/allowedRedirectURIs/0: expected an absolute URI',
    },
    {
      why: 'two URIs in one',
      spec: { ...small, allowedRedirectURIs: ['http://a,http://b'] },
      says: '/spec/allowedRedirectURIs/0: expected an absolute URI',
    },
    { why: 'any token at all', spec: jwt, says: '/spec/roleType: a role of type jwt needs boundAudiences' },
    {
      why: 'any token at all, by an empty list',
      spec: { ...jwt, boundAudiences: [], boundClaims: {} },
      says: '/spec/roleType: a role of type jwt needs boundAudiences',
    },
    {
      why: 'the metadata key of the service',
      spec: { ...small, claimMappings: { a: 'role' } },
      says: '/spec/claimMappings: the metadata key role is that of the service',
    },
    {
      why: 'two claims for one metadata key',
      spec: { ...small, claimMappings: { a: 'x', b: 'x' } },
      says: '/spec/claimMappings: each metadata key can have one claim only',
    },
    {
      why: 'a life above the longest one',
      spec: { ...small, tokenTTL: '61m', tokenMaxTTL: '1h' },
      says: '/spec/tokenTTL: must not be above tokenMaxTTL',
    },
    {
      why: 'batch tokens of a period',
      spec: { ...small, tokenType: 'batch', tokenPeriod: '1h' },
      says: '/spec/tokenType: batch tokens have neither',
    },
    {
      why: 'batch tokens of few uses',
      spec: { ...small, tokenType: 'batch', tokenNumUses: 1 },
      says: '/spec/tokenType: batch tokens have neither',
    },
    {
      why: 'two scopes in one',
      spec: { ...small, scopes: ['a b'] },
      says: '/spec/scopes/0: expected a scope',
    },
    {
      why: 'two policies in one',
      spec: { ...small, tokenPolicies: ['a,b'] },
      says: '/spec/tokenPolicies/0: expected the name of a policy',
    },
    {
      why: 'no network',
      spec: { ...small, tokenBoundCIDRs: ['home'] },
      says: '/spec/tokenBoundCIDRs/0: expected an address',
    },
    ...['::ffff:10.0.0.0/64', '::FFFF:a00:0/8', '0:0:0:0:0:ffff:10.0.0.0/95'].map((network) => ({
      why: `a network of IPv4 that the service takes for another one (${network})`,
      spec: { ...small, tokenBoundCIDRs: ['10.0.0.0/8', network] },
      says: '/spec/tokenBoundCIDRs: IPv4 written as IPv6 needs a length from 96 to 128',
    })),
    {
      why: 'no value',
      spec: { ...small, boundClaims: { a: [] } },
      says: '/spec/boundClaims/a: expected at least',
    },
    {
      why: 'the former name of a field',
      spec: { ...small, policies: ['a'] },
      says: '/spec/policies: unknown field',
    },
    {
      why: 'there is nothing to replace',
      spec: { ...small, replacePolicy: 'Never' },
      says: '/spec/replacePolicy: unknown field',
    },
  ])('$why', ({ spec, says }) => {
    expect(said(spec)).toContain(says);
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: false, crd: false });
  });
});

test('config and name never change; all else does', () => {
  for (const [path, more] of [
    ['/spec/configRef', { configRef: { name: 'other' } }],
    ['/spec/externalName', { externalName: 'other' }],
  ] as const) {
    expect(said({ ...small, ...more }, small)).toContain(`${path}: never changes`);
    expect(verdicts(declaration, { ...small, ...more }, small)).toStrictEqual({ parser: false, crd: false });
  }
  const { externalName: _name, ...rest } = full;
  expect(said(rest, small)).toBe('');
});

testAgreement(declaration, [full, small, { ...jwt, boundSubject: 'me' }]);

test('it refers to its config, which waits for it', () => {
  expect(referencesIn(declaration.references, full, key)).toStrictEqual([
    {
      to: 'object',
      field: '/configRef',
      target: { kind: 'OIDCConfig', namespace: 'shop', name: 'staff' },
      holds: true,
    },
  ]);
});
