// What a write of a role sends: all of it to create, later what changes and what would change if it were left out.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { changedBody, have, want, wholeBody } from '../../../src/kinds/oidc-role/body.ts';
import type { Spec } from '../../../src/kinds/oidc-role/schema.ts';
import { callback, declared, existing, full, sent, type Given } from './situation.ts';

const whole = {
  role_type: 'oidc',
  user_claim: 'sub',
  user_claim_json_pointer: true,
  groups_claim: 'groups',
  allowed_redirect_uris: [callback],
  oidc_scopes: ['profile'],
  claim_mappings: { '/Staff/team': 'team' },
  bound_audiences: ['holdfast'],
  bound_subject: 'me',
  bound_claims: { team: ['a', 'b'] },
  bound_claims_type: 'glob',
  max_age: 60,
  expiration_leeway: 120,
  not_before_leeway: 180,
  clock_skew_leeway: 240,
  verbose_oidc_logging: true,
  token_policies: ['shop', 'base'],
  token_ttl: 3_600,
  token_max_ttl: 7_200,
  token_explicit_max_ttl: 10_800,
  token_period: 14_400,
  token_num_uses: 5,
  token_type: 'service',
  token_no_default_policy: true,
  token_bound_cidrs: ['10.0.0.1'],
};

const absent: Given = { live: 'absent', memory: noStatus, held: false };

test('a create sends all that is declared, and its type', () => {
  expect(sent({ ...absent, spec: full })).toStrictEqual(whole);
  expect(sent({ ...absent, without: ['groupsClaim', 'tokenPolicies', 'tokenTTL'] })).toStrictEqual({
    role_type: 'oidc',
    user_claim: 'sub',
    allowed_redirect_uris: [callback],
  });
});

test('so does a role that somebody deleted', () => {
  expect(sent({ live: 'absent', spec: full })).toStrictEqual(whole);
});

test('each field that is shown is read: what is not seen could be changed behind our back', () => {
  expect(Object.keys(have(existing))).toHaveLength(Object.keys(whole).length);
});

test('what is neither declared nor shown is not known, and not sent, not even as nothing', () => {
  const { configRef, userClaim } = declared;
  const little: Spec = { configRef, userClaim, roleType: 'jwt' };
  expect(want(little)).toStrictEqual({ '/roleType': 'jwt', '/userClaim': 'sub' });
  expect(have({ user_claim: 'sub' })).toStrictEqual({ '/userClaim': 'sub' });
  expect(wholeBody(little)).toStrictEqual({ role_type: 'jwt', user_claim: 'sub' });
  const touched = new Set(['/userClaim']);
  expect(changedBody(little, { user_claim: 'x' }, touched)).toStrictEqual({ user_claim: 'sub' });
});

test('a value of another type than ours stays as it is, so that it differs', () => {
  const odd = [7, '::/1280', '0.0.0.0/320', '/10.0.0.1/32', '10.0.0.1/32\n'];
  expect(have({ user_claim: 'sub', bound_claims: 'x', token_bound_cidrs: odd })).toMatchObject({
    '/boundClaims': 'x',
    '/tokenBoundCIDRs': odd,
  });
});

test.for<readonly [shown: unknown, read: readonly string[] | undefined]>([
  ['shop , base,', ['shop', 'base']],
  ['shop,base', ['shop', 'base']],
  ['', []],
  [['shop, base'], ['shop, base']],
  [null, []],
  [undefined, undefined],
])('a service that shows policies under their former name alone may show text: %j', ([policies, read]) => {
  const shown = policies === undefined ? {} : { policies };
  expect(have({ user_claim: 'sub', ...Object(shown) })['/tokenPolicies']).toEqual(read);
});

test('the current name counts where both are shown', () => {
  expect(have({ user_claim: 'sub', policies: ['b'], token_policies: ['a'] })['/tokenPolicies']).toEqual([
    'a',
  ]);
});

test.for<readonly [written: string, shown: string]>([
  ['10.0.0.1/32', '10.0.0.1'],
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['::1/128', '::1'],
  ['2001:DB8::/32', '2001:db8::/32'],
  ['2001:0db8:0000::0001', '2001:db8::1'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3/128', '10.1.2.3'],
  ['::ffff:10.1.2.0/120', '10.1.2.0/24'],
  ['::ffff:0.0.0.0/96', '0.0.0.0/0'],
  ['::ffff:0:0/95', '::ffff:0:0/95'],
  ['1::ffff:a01:203', '1::ffff:a01:203'],
  ['::ffff:a01:203:1', '::ffff:a01:203:1'],
  ['no network', 'no network'],
])('the network %s is the same as %s: the service shows it so', ([written, shown]) => {
  const tokenBoundCIDRs = [written];
  const networks = want({ ...declared, tokenBoundCIDRs })['/tokenBoundCIDRs'];
  expect(networks).toEqual([shown]);
  expect(have({ user_claim: 'sub', token_bound_cidrs: [shown] })['/tokenBoundCIDRs']).toEqual([shown]);
});

/** Leaving these out would reset them. */
const resetting = { role_type: 'oidc', bound_claims_type: 'string' };

const cases: readonly { readonly why: string; readonly given: Given; readonly body: object }[] = [
  {
    why: 'one field',
    given: { spec: { groupsClaim: 'teams' } },
    body: { ...resetting, groups_claim: 'teams' },
  },
  {
    why: 'what leaving it out would reset, as it is',
    given: {
      live: {
        bound_claims_type: 'glob',
        callback_mode: 'device',
        oidc_disable_confirmation: true,
        token_ttl: 5,
      },
    },
    body: {
      role_type: 'oidc',
      bound_claims_type: 'glob',
      callback_mode: 'device',
      oidc_disable_confirmation: true,
      token_ttl: 3_600,
    },
  },
  {
    why: 'unless that is what changes',
    given: { spec: { boundClaimsType: 'glob', roleType: 'jwt', boundSubject: 'me' } },
    body: { role_type: 'jwt', bound_claims_type: 'glob', bound_subject: 'me' },
  },
  {
    why: 'what is let go, by its default',
    given: {
      without: ['groupsClaim', 'tokenPolicies', 'tokenTTL'],
      wrote: {
        '/claimMappings': { a: 'b' },
        '/boundClaimsType': 'glob',
        '/tokenType': 'batch',
        '/scopes': ['x'],
      },
      live: {
        claim_mappings: { a: 'b' },
        bound_claims_type: 'glob',
        token_type: 'batch',
        oidc_scopes: ['x'],
      },
    },
    body: {
      role_type: 'oidc',
      bound_claims_type: 'string',
      groups_claim: '',
      oidc_scopes: [],
      claim_mappings: {},
      token_policies: [],
      token_ttl: 0,
      token_type: 'default',
    },
  },
];

test.for(cases)('an update sends $why', ({ given, body }) => {
  expect(sent(given)).toStrictEqual(body);
});
