// The secrets service's bodies, with the field names of the dialect `secrets` (services.md#the-secrets-service). The
// client renames fields for other dialects (../dialects.ts). Readers treat every field as optional.
import type { Json, Sealed, Secret } from '../../core/secret.ts';

/** GET sys/health (services.md#health-and-availability). */
export interface Health {
  readonly initialized: boolean;
  readonly sealed: boolean;
  readonly standby: boolean;
  readonly version: string;
  /** Identifies the service, whatever its address; absent while the service is sealed. */
  readonly cluster_id?: string;
}

/** GET auth/token/lookup-self, the fields in use. `ttl` in seconds; 0: never expires. */
export interface TokenLookup {
  readonly accessor?: string;
  readonly display_name?: string;
  readonly expire_time?: string | null;
  /** Where the token is of, with a slash at the end; empty for the root namespace. Absent: the service has none. */
  readonly namespace_path?: string;
  readonly policies?: readonly string[];
  readonly renewable?: boolean;
  readonly ttl: number;
}

export interface Grant {
  readonly client_token: Secret;
  readonly accessor?: string;
  readonly policies?: readonly string[];
  readonly lease_duration: number;
  readonly renewable: boolean;
}

/** GET sys/mounts/<path>, or sys/internal/ui/mounts/<path>. */
export interface Mount {
  readonly type: string;
  readonly accessor?: string;
}

/** GET <mount>/config, without the bind password and the client certificate. Durations in seconds. */
export interface LDAPConfigRead {
  readonly binddn: string;
  readonly url: string;
  readonly schema?: string;
  readonly userdn?: string;
  readonly userattr?: string;
  readonly upndomain?: string;
  readonly password_policy?: string;
  readonly length?: number;
  /** Vault only. */
  readonly credential_type?: string;
  readonly request_timeout?: number;
  readonly connection_timeout?: number;
  readonly starttls?: boolean;
  readonly insecure_tls?: boolean;
  readonly certificate?: string;
  readonly tls_min_version?: string;
  readonly tls_max_version?: string;
  readonly case_sensitive_names?: boolean;
  readonly skip_static_role_import_rotation?: boolean;
  /** RFC 3339; absent before the first rotate-root. */
  readonly last_bind_password_rotation?: string;
}

/**
 * POST <mount>/config: omitted fields keep their value, except `length` and `credential_type`
 * (services.md#ldap-configuration).
 */
export interface LDAPConfigBody {
  readonly [field: string]: Sealed | undefined;
  readonly binddn?: Sealed | undefined;
  readonly bindpass?: Sealed | undefined;
  /** URLs separated by commas, tried in order. */
  readonly url?: Sealed | undefined;
  readonly password_policy?: Sealed | undefined;
  readonly schema?: Sealed | undefined;
  readonly request_timeout?: Sealed | undefined;
  readonly starttls?: Sealed | undefined;
  readonly insecure_tls?: Sealed | undefined;
  readonly certificate?: Sealed | undefined;
  readonly client_tls_cert?: Sealed | undefined;
  readonly client_tls_key?: Sealed | undefined;
  readonly length?: Sealed | undefined;
}

/** GET <mount>/static-role/<name>. `rotation_period` in seconds. */
export interface RoleRead {
  readonly dn: string;
  readonly username: string;
  readonly rotation_period: number;
  /** RFC 3339; absent if the role was never rotated. */
  readonly last_service_rotation?: string;
}

export interface RoleBody {
  readonly username: string;
  readonly dn?: string;
  readonly rotation_period: number;
  /** Only for creation; an update with this field is an error. */
  readonly skip_import_rotation?: boolean;
}

/** GET <mount>/static-cred/<name>. `ttl` and `rotation_period` in seconds. */
export interface CredentialRead {
  readonly dn: string;
  readonly username: string;
  readonly password: Secret;
  readonly last_password?: Secret;
  readonly last_service_rotation: string;
  readonly rotation_period: number;
  readonly ttl: number;
}

/** GET auth/<mount>/config, without the client secret. Unset lists are null or empty. */
export interface OIDCConfigRead {
  readonly oidc_discovery_url: string;
  readonly oidc_discovery_ca_pem?: string;
  readonly oidc_client_id?: string;
  readonly oidc_response_mode?: string;
  readonly oidc_response_types?: readonly string[] | null;
  readonly jwks_url?: string;
  readonly jwks_ca_pem?: string;
  readonly jwt_validation_pubkeys?: readonly string[] | null;
  readonly jwt_supported_algs?: readonly string[] | null;
  readonly bound_issuer?: string;
  readonly default_role?: string;
  readonly namespace_in_state?: boolean;
  /** A provider with requirements beyond the standard, and its settings, without the service account. */
  readonly provider_config?: Readonly<Record<string, Json>> | null;
  /** `valid` or `invalid`; some services omit it. */
  readonly status?: string;
  /** OpenBao only. */
  readonly override_allowed_server_names?: readonly string[] | null;
  /** Vault only. */
  readonly unsupported_critical_cert_extensions?: readonly string[] | null;
}

/**
 * POST auth/<mount>/config replaces the configuration, so the body is always complete, with the secret
 * (services.md#oidc-configuration).
 */
export interface OIDCConfigBody {
  readonly [field: string]: Sealed | undefined;
  readonly oidc_client_id?: string;
  readonly oidc_client_secret?: Sealed;
  readonly default_role?: string;
  readonly oidc_discovery_url?: string;
  readonly provider_config?: Sealed;
}

/** GET auth/<mount>/role/<name>. Unset lists and maps are null. Durations in seconds. */
export interface OIDCRoleRead {
  readonly role_type?: string;
  readonly user_claim: string;
  readonly groups_claim?: string;
  readonly allowed_redirect_uris?: readonly string[] | null;
  readonly oidc_scopes?: readonly string[] | null;
  readonly bound_audiences?: readonly string[] | null;
  readonly claim_mappings?: Readonly<Record<string, string>> | null;
  readonly token_policies?: readonly string[] | null;
  /** Present only if the policies were written under this name. */
  readonly policies?: readonly string[] | null;
  readonly [field: string]: Json | undefined;
}

/** POST auth/<mount>/role/<name>: omitted fields keep their value, with two exceptions (services.md#oidc-roles). */
export interface OIDCRoleBody {
  readonly [field: string]: Sealed | undefined;
  readonly user_claim?: string;
  readonly allowed_redirect_uris?: readonly string[];
  readonly groups_claim?: string;
  readonly policies?: readonly string[];
  readonly oidc_scopes?: readonly string[];
  /** Claim path → metadata key. */
  readonly claim_mappings?: Readonly<Record<string, string>>;
  readonly bound_audiences?: readonly string[];
}

/** GET <mount>/kms/<name>, without the credentials. The services document only the write. */
export interface KMSProviderRead {
  readonly provider: string;
  readonly key_collection: string;
}

/** A write with any credential replaces all. Variables in the service's environment take precedence over each. */
export type KMSCredentials = {
  readonly tenant_id?: string | Secret;
  readonly client_id?: string | Secret;
  readonly client_secret?: string | Secret;
  readonly environment?: string;
};

/** PUT <mount>/kms/<name>: every write needs the provider. */
export interface KMSProviderBody {
  readonly provider: string;
  readonly key_collection: string;
  readonly credentials?: KMSCredentials;
}
