// The secrets service's shapes as the documents name them (spec: secrets-api.md, "Resources and their fields"; what it
// leaves out: wire.md part 3). Dialects rename them at the edge, see ../dialects.ts. Readers treat all as partial.
import type { Sealed, Secret } from '../../core/secret.ts';

/** GET sys/health (wire.md 3.2). */
export interface Health {
  readonly initialized: boolean;
  readonly sealed: boolean;
  readonly standby: boolean;
  readonly version: string;
}

/** GET auth/token/lookup-self, as far as it is used. `ttl` in seconds, 0: never expires. */
export interface TokenLookup {
  readonly accessor?: string;
  readonly display_name?: string;
  readonly expire_time?: string | null;
  readonly policies?: readonly string[];
  readonly renewable?: boolean;
  readonly ttl: number;
}

/** What a login or a renewal grants. `lease_duration` in seconds. */
export interface Grant {
  readonly client_token: Secret;
  readonly accessor?: string;
  readonly policies?: readonly string[];
  readonly lease_duration: number;
  readonly renewable: boolean;
}

/** GET sys/mounts/<path>. */
export interface Mount {
  readonly type: string;
  readonly accessor?: string;
}

/** GET <mount>/config. The bind password and the client certificate are never among it. Durations in seconds. */
export interface LDAPConfigRead {
  readonly binddn: string;
  readonly url: string;
  readonly schema?: string;
  readonly userdn?: string;
  readonly userattr?: string;
  readonly upndomain?: string;
  readonly password_policy?: string;
  /** Only where it was set. */
  readonly length?: number;
  readonly request_timeout?: number;
  readonly connection_timeout?: number;
  readonly starttls?: boolean;
  readonly insecure_tls?: boolean;
  readonly certificate?: string;
  readonly tls_min_version?: string;
  readonly tls_max_version?: string;
  readonly case_sensitive_names?: boolean;
  readonly skip_static_role_import_rotation?: boolean;
  /** RFC 3339; after a rotate-root only. */
  readonly last_bind_password_rotation?: string;
}

/** POST <mount>/config: fields that are left out keep their value, `length` apart (wire.md 3.4). */
export interface LDAPConfigBody {
  readonly [field: string]: Sealed | undefined;
}

/** GET <mount>/static-role/<name>. `rotation_period` in seconds. */
export interface RoleRead {
  readonly dn: string;
  readonly username: string;
  readonly rotation_period: number;
  /** RFC 3339; absent where it was never rotated. */
  readonly last_service_rotation?: string;
}

export interface RoleBody {
  readonly username: string;
  readonly dn?: string;
  /** Seconds. */
  readonly rotation_period: number;
  /** On creation only: sending it later is an error. */
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
