// The directory as the LDAP engine uses it, which is only to change passwords.

export const schemas = ['ldap', 'racf', 'ad'] as const;
export type Schema = (typeof schemas)[number];

export interface Access {
  readonly urls: readonly string[];
  readonly bindDN: string;
  readonly bindPassword: string;
  readonly schema: Schema;
  /** The base and the attribute of searches for entries. */
  readonly userDN: string;
  readonly userAttribute: string;
  readonly startTLS: boolean;
  readonly insecureTLS: boolean;
  /** PEM; empty: the system's authorities. */
  readonly ca: string;
  /** PEM; both are empty without a client certificate. */
  readonly clientCertificate: string;
  readonly clientKey: string;
  /** `tls10` to `tls13`. */
  readonly tlsMin: string;
  readonly tlsMax: string;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** An entry by its DN, or the only entry with the user name. */
export type EntryRef = { readonly dn: string } | { readonly username: string };

export interface Directory {
  /** Binds, finds the entry and replaces its password. @throws DirectoryError */
  changePassword(access: Access, entry: EntryRef, password: string): Promise<void>;
  /** Aborts running calls, which throw. */
  close(): void;
}

export type DirectoryFailure =
  | 'bind'
  /** The directory refused the change: nothing changed. */
  | 'refused'
  /** No answer, or a lost connection: the change may have happened. */
  | 'unreachable';

/** The message is sent to clients and holds no password. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
  readonly failure: DirectoryFailure;
  constructor(failure: DirectoryFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** The attribute and value that set a password, by schema (services.md#ldap-schemas). */
export interface PasswordChange {
  readonly attribute: string;
  readonly value: Buffer;
  /** Attributes that are set with it. */
  readonly also: Readonly<Record<string, string>>;
}

export function passwordChange(schema: Schema, password: string): PasswordChange {
  switch (schema) {
    case 'ldap':
      return { attribute: 'userPassword', value: Buffer.from(password), also: {} };
    case 'racf': // without `noexpired` the user would have to change the password at the next logon
      return {
        attribute: 'racfPassword',
        value: Buffer.from(password),
        also: { racfAttributes: 'noexpired' },
      };
    case 'ad':
      return { attribute: 'unicodePwd', value: Buffer.from(`"${password}"`, 'utf16le'), also: {} };
  }
}

/** An error in the wording of Go's LDAP library, because clients match it. */
export const resultText = (code: number, name: string, diagnostic: string): string =>
  `LDAP Result Code ${code} ${JSON.stringify(name)}: ${diagnostic}`;

export const matchesText = (found: number): string => `expected one matching entry, but received ${found}`;
