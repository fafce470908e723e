// The rows of the secrets service, in neutral names and values. Times are Unix milliseconds.

export interface NamespaceRow {
  /** Without slashes at its ends: `team/a`. */
  readonly path: string;
  readonly id: string;
  readonly uuid: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A row that belongs to a namespace. */
interface Owned {
  /** The path of the namespace; absent: the root namespace. */
  readonly namespace?: string;
}

export interface MountRow extends Owned {
  /** Includes the namespace, without slashes at its ends: `ldap`, `team/a/ldap`, `team/auth/approle`. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly accessor: string;
  readonly uuid: string;
}

export const capabilities = ['create', 'read', 'update', 'delete', 'list', 'sudo', 'deny'] as const;
export type Capability = (typeof capabilities)[number];

export interface Rule {
  /** `+` stands for one segment, `*` at the end for any rest. */
  readonly path: string;
  readonly capabilities: readonly Capability[];
}

export interface PolicyRow extends Owned {
  readonly name: string;
  /** The paths are relative to the namespace. */
  readonly rules: readonly Rule[];
  /** The policy as written; absent if a fixture made it. */
  readonly text?: string;
}

export interface TokenRow extends Owned {
  readonly token: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly displayName: string;
  /** The path that created it. */
  readonly path: string;
  readonly meta: Readonly<Record<string, string>>;
  /** Names of external groups (oidc/grant.ts). */
  readonly groups?: readonly string[];
  readonly createdMs: number;
  readonly creationTtlSeconds: number;
  /** Limits renewals, counted from the creation. 0: no limit. */
  readonly maxTtlSeconds: number;
  /** Absent: the token never expires. */
  readonly expiresMs?: number;
  readonly renewable: boolean;
}

export interface AuthRoleRow {
  /** For example `auth/approle`. */
  readonly mount: string;
  readonly name: string;
  /** The `role_id` of a login (AppRole). */
  readonly roleID: string;
  /** The one `secret_id` or `jwt` that is accepted. */
  readonly accepts: string;
  readonly policies: readonly string[];
  readonly ttlSeconds: number;
  readonly maxTtlSeconds: number;
  readonly renewable: boolean;
}

export interface PasswordPolicyRow extends Owned {
  readonly text: string;
}

export type ConfigValue = string | number | boolean;

export interface ConfigRow {
  readonly values: Readonly<Record<string, ConfigValue>>;
  /** The bind password of an unfinished rotation; the directory may have it. */
  readonly pendingBindPassword?: string;
  readonly lastBindRotationMs?: number;
}

export interface RoleRow {
  readonly mount: string;
  readonly name: string;
  readonly username: string;
  /** Empty: the entry is found by user name. */
  readonly dn: string;
  readonly periodSeconds: number;
  /** Absent: the role never rotated. */
  readonly lastRotationMs?: number;
  readonly password: string;
  readonly lastPassword: string;
  /** The password of an unfinished rotation. The directory may have it, so the next rotation sets it again. */
  readonly pending?: string;
}

export type OIDCValue = string | boolean | readonly string[];

/** The configuration of a method of type `oidc` or `jwt`. */
export interface OIDCConfigRow {
  readonly values: Readonly<Record<string, OIDCValue>>;
  /** `provider_config`, in neutral names. */
  readonly provider: Readonly<Record<string, unknown>>;
  /** The issuer was valid when the configuration was written. */
  readonly checked: boolean;
}

/** `values` holds every field, set or default. Durations are in seconds. */
export interface OIDCRoleRow {
  readonly mount: string;
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A provider of the key-management engine. */
export interface KMSProviderRow {
  readonly mount: string;
  readonly name: string;
  readonly keyCollection: string;
  /** Never shown. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** A key in a key store. */
export interface KMSKeyRow {
  readonly mount: string;
  readonly provider: string;
  readonly name: string;
}

export interface EntryRow {
  /** As written; the key of the row is normalised. */
  readonly dn: string;
  readonly password: string;
  readonly passwordAttribute: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The key of a row below a mount. Neither part holds a line break. */
export const below = (mount: string, name: string): string => `${mount}\n${name}`;

/** The key of a named row in a namespace. */
export const keyIn = (namespace: string, name: string): string =>
  namespace === '' ? name : below(namespace, name);
