// What the secrets service keeps, in neutral names and values. Times are milliseconds since 1970.

export interface MountRow {
  /** Without slashes at its ends: `ldap`, `team/a/ldap`, `auth/approle`. */
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

export interface PolicyRow {
  readonly name: string;
  readonly rules: readonly Rule[];
}

export interface TokenRow {
  readonly token: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly displayName: string;
  /** Path that it was made at. */
  readonly path: string;
  readonly meta: Readonly<Record<string, string>>;
  readonly createdMs: number;
  readonly creationTtlSeconds: number;
  /** Counted from its creation; renewing goes no further. 0: no bound. */
  readonly maxTtlSeconds: number;
  /** Absent: never. */
  readonly expiresMs?: number;
  readonly renewable: boolean;
}

export interface AuthRoleRow {
  /** `auth/approle`. */
  readonly mount: string;
  readonly name: string;
  /** What a login shows as `role_id` (AppRole). */
  readonly roleID: string;
  /** The one `secret_id` or `jwt` that logs in. */
  readonly accepts: string;
  readonly policies: readonly string[];
  readonly ttlSeconds: number;
  readonly maxTtlSeconds: number;
  readonly renewable: boolean;
}

export interface PasswordPolicyRow {
  /** As it was written. */
  readonly text: string;
}

export type ConfigValue = string | number | boolean;

export interface ConfigRow {
  readonly values: Readonly<Record<string, ConfigValue>>;
  /** The bind password that a rotation was about to set; it may have been set. */
  readonly pendingBindPassword?: string;
  readonly lastBindRotationMs?: number;
}

export interface RoleRow {
  readonly mount: string;
  readonly name: string;
  readonly username: string;
  /** Empty: found by its username. */
  readonly dn: string;
  readonly periodSeconds: number;
  readonly createdMs: number;
  /** Absent: never rotated. */
  readonly lastRotationMs?: number;
  readonly password: string;
  readonly lastPassword: string;
  /** The password that a rotation was about to set; it may have been set, so the next one sets it again. */
  readonly pending?: string;
}

/** An entry of the built-in directory. */
export interface EntryRow {
  /** As it was written; the key is normalised. */
  readonly dn: string;
  readonly password: string;
  /** Where the schema puts the password. */
  readonly passwordAttribute: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Key of what belongs to a mount. Neither part holds a line end. */
export const below = (mount: string, name: string): string => `${mount}\n${name}`;
