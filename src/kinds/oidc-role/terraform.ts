// OIDCRole: the roles of a Terraform state, for `holdfast import`.
import { isRecord } from '../../core/json.ts';
import { span, split, type ResourceType } from '../../schema/terraform.ts';
import { fields } from './schema.ts';

/** The provider joins several values with commas, unless it is told to leave them alone. */
const claims = (
  value: unknown,
  { disable_bound_claims_parsing: isWhole }: Readonly<Record<string, unknown>>,
) =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([claim, one]) => [claim, isWhole === true ? [one] : split(one)]),
      )
    : value;

export const resources: ResourceType = {
  names: ['vault_jwt_auth_backend_role'],
  provider: 'vault',
  table: fields,
  name: ['role_name', '', 'externalName'],
  mount: ['backend', 'jwt', 'vault_jwt_auth_backend'],
  attributes: {
    role_type: '/roleType',
    user_claim: '/userClaim',
    user_claim_json_pointer: '/userClaimJSONPointer',
    groups_claim: '/groupsClaim',
    allowed_redirect_uris: '/allowedRedirectURIs',
    oidc_scopes: '/scopes',
    claim_mappings: '/claimMappings',
    bound_audiences: '/boundAudiences',
    bound_subject: '/boundSubject',
    bound_claims: ['/boundClaims', claims],
    bound_claims_type: '/boundClaimsType',
    max_age: ['/maxAge', span],
    expiration_leeway: ['/expirationLeeway', span],
    not_before_leeway: ['/notBeforeLeeway', span],
    clock_skew_leeway: ['/clockSkewLeeway', span],
    verbose_oidc_logging: '/verboseLogging',
    token_policies: '/tokenPolicies',
    token_ttl: ['/tokenTTL', span],
    token_max_ttl: ['/tokenMaxTTL', span],
    token_explicit_max_ttl: ['/tokenExplicitMaxTTL', span],
    token_period: ['/tokenPeriod', span],
    token_num_uses: '/tokenNumUses',
    token_type: '/tokenType',
    token_no_default_policy: '/tokenNoDefaultPolicy',
    token_bound_cidrs: '/tokenBoundCIDRs',
  },
  always: { deletionPolicy: 'Retain' },
  unread: ['id', 'disable_bound_claims_parsing', 'timeouts'],
};
