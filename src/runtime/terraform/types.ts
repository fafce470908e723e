// The resource types of Terraform's providers, and the fields that their attributes are.
import type { FieldTable } from '../../core/planning/diff.ts';
import { isRecord } from '../../core/json.ts';
import type { Json } from '../../core/secret.ts';
import { fields as volume } from '../../kinds/csi-volume/schema.ts';
import { fields as ldapConfig } from '../../kinds/ldap-config/schema.ts';
import { fields as ldapRole } from '../../kinds/ldap-static-role/schema.ts';
import { fields as oidcConfig } from '../../kinds/oidc-config/schema.ts';
import { fields as oidcRole } from '../../kinds/oidc-role/schema.ts';
import { durationText } from '../../schema/exported.ts';

/** A field, and how its value is written. */
type Field = string | readonly [path: string, written: (value: unknown) => unknown];

export interface ResourceType {
  readonly provider: 'nomad' | 'vault';
  readonly kind: string;
  readonly table: FieldTable;
  readonly attributes: Readonly<Record<string, Field>>;
  /** The attribute that names it in its service, and the name if there is none. */
  readonly name: readonly [attribute: string, otherwise: string];
  /** The mount of a role, and the kind of its configuration. */
  readonly mount?: readonly [attribute: string, otherwise: string, config: string];
  /** What the others of the type are, and Holdfast does not import. */
  readonly only?: readonly [attribute: string, value: string];
  /** A secret → its field, the end of the placeholder's name, and the key in it. */
  readonly secrets?: Readonly<Record<string, readonly [field: string, end: string, key: string]>>;
  /** What manifests of adopted objects always say. */
  readonly always: Readonly<Record<string, Json>>;
  /** What the service or the provider computes. */
  readonly computed: readonly string[];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** A block that can be there once is a list of one, or an object. */
const block = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);
const at = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
const span = (value: unknown): unknown => (typeof value === 'number' ? durationText(value) : value);

const capabilities = (value: unknown) =>
  listOf(value).map((one) => ({
    accessMode: at(one, 'access_mode'),
    attachmentMode: at(one, 'attachment_mode'),
  }));
const required = (value: unknown) =>
  listOf(at(block(at(block(value), 'required')), 'topology')).map((one) => at(one, 'segments'));
/** The provider joins several values with commas. */
const claims = (value: unknown) =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([claim, one]) => [
          claim,
          typeof one === 'string' && one.includes(',') ? one.split(',').map((text) => text.trim()) : one,
        ]),
      )
    : value;

const volumes: ResourceType = {
  provider: 'nomad',
  kind: 'CSIVolume',
  table: volume,
  name: ['volume_id', ''],
  attributes: {
    plugin_id: '/pluginID',
    external_id: '/register/externalID',
    capability: ['/capabilities', capabilities],
    mount_options: ['/mountOptions/fsType', (value) => at(block(value), 'fs_type')],
    topology_request: ['/topology/required', required],
  },
  always: { deletionPolicy: 'Retain' },
  computed: [
    'id',
    'name',
    'type',
    'schedulable',
    'topologies',
    'capacity',
    'controller_required',
    'controllers_expected',
    'controllers_healthy',
    'nodes_expected',
    'nodes_healthy',
    'plugin_provider',
    'plugin_provider_version',
  ],
};

const ldap: ResourceType = {
  provider: 'vault',
  kind: 'LDAPConfig',
  table: ldapConfig,
  name: ['path', 'ldap'],
  attributes: {
    binddn: '/bindDN',
    url: [
      '/urls',
      (value) => (typeof value === 'string' ? value.split(',').map((url) => url.trim()) : value),
    ],
    schema: ['/schema', (value) => value],
    userdn: '/userDN',
    userattr: '/userAttr',
    upndomain: '/upnDomain',
    password_policy: '/passwordPolicy',
    request_timeout: ['/requestTimeout', span],
    connection_timeout: ['/connectionTimeout', span],
    starttls: '/startTLS',
    insecure_tls: '/insecureTLS',
    skip_static_role_import_rotation: '/skipStaticRoleImportRotation',
  },
  secrets: { bindpass: ['bindPasswordSecretRef', 'bind', 'password'] },
  always: { deletionPolicy: 'Retain' },
  computed: ['id', 'accessor'],
};

const ldapRoles: ResourceType = {
  provider: 'vault',
  kind: 'LDAPStaticRole',
  table: ldapRole,
  name: ['role_name', ''],
  mount: ['mount', 'ldap', 'LDAPConfig'],
  attributes: { username: '/username', dn: '/dn', rotation_period: ['/rotationPeriod', span] },
  always: { onCreate: 'Keep', deletionPolicy: 'Retain' },
  computed: ['id', 'last_vault_rotation'],
};

const oidc: ResourceType = {
  provider: 'vault',
  kind: 'OIDCConfig',
  table: oidcConfig,
  name: ['path', 'jwt'],
  only: ['type', 'oidc'],
  attributes: {
    oidc_discovery_url: '/discoveryURL',
    oidc_discovery_ca_pem: '/discoveryCA',
    oidc_client_id: '/clientID',
    default_role: '/defaultRole',
    bound_issuer: '/boundIssuer',
    jwt_supported_algs: '/jwtSupportedAlgs',
    oidc_response_mode: '/responseMode',
    oidc_response_types: '/responseTypes',
    namespace_in_state: '/namespaceInState',
  },
  secrets: { oidc_client_secret: ['clientSecretSecretRef', 'client', 'secret'] },
  always: {},
  computed: ['id', 'accessor'],
};

const oidcRoles: ResourceType = {
  provider: 'vault',
  kind: 'OIDCRole',
  table: oidcRole,
  name: ['role_name', ''],
  mount: ['backend', 'jwt', 'OIDCConfig'],
  only: ['role_type', 'oidc'],
  attributes: {
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
  computed: ['id'],
};

/** The older types of volumes have one capability, written beside the others. */
export const resourceTypes: ReadonlyMap<string, ResourceType> = new Map([
  ['nomad_csi_volume', volumes],
  ['nomad_csi_volume_registration', volumes],
  ['nomad_volume', volumes],
  ['nomad_external_volume', volumes],
  ['vault_ldap_secret_backend', ldap],
  ['vault_ldap_secret_backend_static_role', ldapRoles],
  ['vault_jwt_auth_backend', oidc],
  ['vault_jwt_auth_backend_role', oidcRoles],
]);
