// What the secrets service keeps, in neutral names and values. Times are milliseconds since 1970.

export interface NamespaceRow {
  /** Without slashes at its ends: `team/a`. */
  readonly path: string;
  readonly id: string;
  readonly uuid: string;
  /** As it was given. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What belongs to a namespace. */
interface Owned {
  /** Its path; absent: the root namespace. */
  readonly namespace?: string;
}

export interface MountRow extends Owned {
  /** With that of its namespace, without slashes at its ends: `ldap`, `team/a/ldap`, `team/auth/approle`. */
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
  /** Their paths are below its namespace. */
  readonly rules: readonly Rule[];
  /** As it was written, where it was. */
  readonly text?: string;
}

export interface TokenRow extends Owned {
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

export interface PasswordPolicyRow extends Owned {
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

export type OIDCValue = string | boolean | readonly string[];

/** Of a method of type `oidc` or `jwt`. */
export interface OIDCConfigRow {
  readonly values: Readonly<Record<string, OIDCValue>>;
  /** `provider_config`, in neutral names. */
  readonly provider: Readonly<Record<string, unknown>>;
  /** Its issuer answered as one. */
  readonly checked: boolean;
}

/** Fields of a role as they are stored; what was never given is absent. Durations in seconds. */
export interface OIDCRoleRow {
  readonly mount: string;
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A key store of the key-management engine. */
export interface KMSProviderRow {
  readonly mount: string;
  readonly name: string;
  readonly keyCollection: string;
  /** Never shown. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** A key that a key store holds. */
export interface KMSKeyRow {
  readonly mount: string;
  readonly provider: string;
  readonly name: string;
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

/** Key of what a namespace names. */
export const keyIn = (namespace: string, name: string): string =>
  namespace === '' ? name : below(namespace, name);
