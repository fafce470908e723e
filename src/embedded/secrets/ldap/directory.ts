// The directory as the LDAP engine sees it: one thing is done there, changing an entry's password.

export const schemas = ['ldap', 'racf', 'ad'] as const;
export type Schema = (typeof schemas)[number];

/** How to reach a directory and to act there. */
export interface Access {
  /** Tried in order when a connection fails. */
  readonly urls: readonly string[];
  readonly bindDN: string;
  readonly bindPassword: string;
  readonly schema: Schema;
  /** Where entries are searched for, and by which attribute. */
  readonly userDN: string;
  readonly userAttribute: string;
  readonly startTLS: boolean;
  readonly insecureTLS: boolean;
  /** PEM; empty: the system's. */
  readonly ca: string;
  /** PEM; both empty: none. */
  readonly clientCertificate: string;
  readonly clientKey: string;
  /** `tls10` to `tls13`. */
  readonly tlsMin: string;
  readonly tlsMax: string;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** Which entry: by its name, or the only one with this user name. */
export type EntryRef = { readonly dn: string } | { readonly username: string };

export interface Directory {
  /** Binds, finds the entry and replaces its password. @throws DirectoryError */
  changePassword(access: Access, entry: EntryRef, password: string): Promise<void>;
  /** Ends what is under way: it throws. */
  close(): void;
}

export type DirectoryFailure =
  /** The bind DN and its password were not accepted. */
  | 'bind'
  /** The directory answered no: nothing was changed. */
  | 'refused'
  /** No answer, or the connection failed: it may have been changed. */
  | 'unreachable';

/** The message is for clients, and holds no password. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
  readonly failure: DirectoryFailure;
  constructor(failure: DirectoryFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** Attribute and value that set a password, as each schema has it (wire.md 3.4, "config"). */
export interface PasswordChange {
  readonly attribute: string;
  readonly value: Buffer;
  /** Set along with it. */
  readonly also: Readonly<Record<string, string>>;
}

export function passwordChange(schema: Schema, password: string): PasswordChange {
  switch (schema) {
    case 'ldap':
      return { attribute: 'userPassword', value: Buffer.from(password), also: {} };
    case 'racf': // without `noexpired` it would have to be changed at the next logon
      return {
        attribute: 'racfPassword',
        value: Buffer.from(password),
        also: { racfAttributes: 'noexpired' },
      };
    case 'ad':
      return { attribute: 'unicodePwd', value: Buffer.from(`"${password}"`, 'utf16le'), also: {} };
  }
}

/** As Go's LDAP library says it; clients look for these words. */
export const resultText = (code: number, name: string, diagnostic: string): string =>
  `LDAP Result Code ${code} ${JSON.stringify(name)}: ${diagnostic}`;

export const matchesText = (found: number): string => `expected one matching entry, but received ${found}`;
