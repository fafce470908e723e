// How the dialects differ in behaviour beyond names and shapes: `secrets` behaves as documented, `vault` as the real
// services do (services.md#dialects). Where the documents are silent, both behave as the real services do.
import type { SecretsDialectName } from '../../api/dialects.ts';

export interface Behaviour {
  /** A workspace directory needs an administrator, and schemas to fetch users. If false, only a login fails. */
  readonly workspaceIsWhole: boolean;
  /** The deletion of a missing static role is an error, as in OpenBao. */
  readonly deletesOnlyWhatIs: boolean;
  /** The rotation of a role does not lower-case the role's name; all other operations do. */
  readonly rotatesByCase: boolean;
  /**
   * As in OpenBao: passwords are set only where the user attribute is one of a few, in one spelling; by `userPrincipalName` an
   * entry is sought although a role names it; and with a domain, the service binds as `<binddn>@<upndomain>`.
   */
  readonly usesPrincipalNames: boolean;
  /** An issuer must sign with RS256 unless other algorithms are configured. If false, only a login fails. */
  readonly wantsRS256: boolean;
  readonly name: string;
  /** Configurations have fields that Vault alone has: `credential_type`, `unsupported_critical_cert_extensions`. */
  readonly hasVaultFields: boolean;
  /** A denial is worded as a list of one error. */
  readonly listsDenials: boolean;
  /** A read of an OIDC configuration reports whether it is valid. */
  readonly tellsOIDCStatus: boolean;
}

export const behaviours: Readonly<Record<SecretsDialectName, Behaviour>> = {
  secrets: {
    workspaceIsWhole: true,
    deletesOnlyWhatIs: false,
    rotatesByCase: false,
    usesPrincipalNames: false,
    wantsRS256: true,
    name: 'service',
    hasVaultFields: false,
    listsDenials: false,
    tellsOIDCStatus: false,
  },
  vault: {
    workspaceIsWhole: false,
    deletesOnlyWhatIs: true,
    rotatesByCase: true,
    usesPrincipalNames: true,
    wantsRS256: false,
    name: 'Vault',
    hasVaultFields: true,
    listsDenials: true,
    tellsOIDCStatus: true,
  },
};

/** Settings of the service that can change at any time. */
export interface Switches {
  /** A write of an OIDC configuration contacts its issuer. */
  readonly checksIssuers: boolean;
  readonly keyManagement: boolean;
  /** Key-management providers can be read, listed and deleted. Only the write is documented. */
  readonly kmsReads: boolean;
  readonly environment: Readonly<Record<string, string>>;
  /** The service has an identity at the key store, so no client credentials are needed. */
  readonly managedIdentity: boolean;
  readonly initialized: boolean;
  /** Prefix of the paths that are rate-limited. Empty: none. */
  readonly limited: string;
  /** The header `Retry-After` of a rate-limited reply; 0: no header. */
  readonly retryAfterSeconds: number;
}

export const switchesDefault: Switches = {
  checksIssuers: true,
  keyManagement: true,
  kmsReads: true,
  environment: {},
  managedIdentity: false,
  initialized: true,
  limited: '',
  retryAfterSeconds: 0,
};
