// A role that is declared, ours, there and as it should be; what differs from that; and its plan in one line.
import type { OIDCRoleRead } from '../../../src/api/secrets/wire.ts';
import { managing } from '../../../src/core/planning/policy.ts';
import type { Resolved } from '../../../src/core/resource.ts';
import { publicOf, type Json } from '../../../src/core/secret.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { RoleSituation } from '../../../src/kinds/oidc-role/body.ts';
import { plan } from '../../../src/kinds/oidc-role/plan.ts';
import type { Spec } from '../../../src/kinds/oidc-role/schema.ts';
import { common, planning, type Common } from '../planning.ts';

export const key = { kind: 'OIDCRole', namespace: 'shop', name: 'staff' };
export const callback = 'http://localhost:8250/oidc/callback';

export const declared: Spec = {
  configRef: { name: 'staff' },
  userClaim: 'sub',
  groupsClaim: 'groups',
  allowedRedirectURIs: [callback],
  tokenPolicies: ['shop', 'base'],
  tokenTTL: '1h',
};

/** With every field. */
export const full: Spec = {
  ...declared,
  roleType: 'oidc',
  userClaimJSONPointer: true,
  scopes: ['profile'],
  claimMappings: { '/Staff/team': 'team' },
  boundAudiences: ['holdfast'],
  boundSubject: 'me',
  boundClaims: { team: ['b', 'a'] },
  boundClaimsType: 'glob',
  maxAge: '1m',
  expirationLeeway: '2m',
  notBeforeLeeway: '3m',
  clockSkewLeeway: '4m',
  verboseLogging: true,
  tokenMaxTTL: '2h',
  tokenExplicitMaxTTL: '3h',
  tokenPeriod: '4h',
  tokenNumUses: 5,
  tokenType: 'service',
  tokenNoDefaultPolicy: true,
  tokenBoundCIDRs: ['10.0.0.1/32'],
};

/** As the service shows it once it is written. */
export const existing: OIDCRoleRead = {
  role_type: 'oidc',
  user_claim: 'sub',
  user_claim_json_pointer: false,
  groups_claim: 'groups',
  allowed_redirect_uris: [callback],
  oidc_scopes: null,
  claim_mappings: null,
  bound_audiences: null,
  bound_subject: '',
  bound_claims: null,
  bound_claims_type: 'string',
  verbose_oidc_logging: false,
  max_age: 0,
  expiration_leeway: 0,
  not_before_leeway: 0,
  clock_skew_leeway: 0,
  token_policies: ['shop', 'base'],
  token_ttl: 3_600,
  token_max_ttl: 0,
  token_explicit_max_ttl: 0,
  token_period: 0,
  token_num_uses: 0,
  token_type: 'default',
  token_no_default_policy: false,
  token_bound_cidrs: [],
};

/** Outputs of a configuration of no special provider. */
export const config: Readonly<Record<string, string>> = {
  mount: 'oidc',
  identityProvider: '',
  discoveryURL: 'https://embedded/staff',
  clientID: 'holdfast',
  provider: '',
  fetchGroups: 'false',
  schemas: '',
};
export const resolved: Resolved = new Map([['/configRef', { state: 'ready', outputs: config }]]);

const ref = { backend: 'b1', mount: 'oidc', role: 'staff' };

/** What is remembered once it was written as declared. */
export const recorded: Status<never> = {
  ...noStatus,
  externalRef: ref,
  applied: {
    '/roleType': 'oidc',
    '/userClaim': 'sub',
    '/groupsClaim': 'groups',
    '/allowedRedirectURIs': [callback],
    '/tokenPolicies': ['shop', 'base'],
    '/tokenTTL': 3_600,
  },
  identity: 'oidc role by sub',
};

/** What differs from a role that is declared, ours, there, and as it should be. */
export interface Given extends Common<never> {
  readonly spec?: Partial<Spec>;
  /** Fields that are not declared after all. */
  readonly without?: readonly (keyof Spec)[];
  readonly live?: Partial<OIDCRoleRead> | 'absent';
  /** What the service does not show. */
  readonly hides?: readonly string[];
}

function situation({ live = {}, ...given }: Given): RoleSituation {
  const spec: Spec = { ...declared, ...given.spec };
  for (const name of given.without ?? []) Reflect.deleteProperty(spec, name);
  const shown: OIDCRoleRead = { ...existing, ...(live === 'absent' ? {} : live) };
  for (const name of given.hides ?? []) Reflect.deleteProperty(shown, name);
  return {
    key,
    ...common(given, { memory: recorded, ref, policy: { ...managing, deletion: 'Delete' } }),
    spec,
    resolved,
    observed: live === 'absent' ? { state: 'absent' } : { state: 'present', live: shown },
  };
}

export const { planned, firstStep, outline } = planning(situation, plan);

/** What the first step sends. */
export function sent(given: Given): Json {
  const { effect } = firstStep(given);
  if (effect?.op !== 'oidc.role.write') throw new Error(`nothing is written: ${outline(given)}`);
  return publicOf(effect.body);
}
