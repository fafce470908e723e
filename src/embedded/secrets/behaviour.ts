// Where the dialects behave differently beyond names and shapes: what `secrets` is documented to do, and what the real
// services do (services.md#dialects). Where the documented API is silent, both do what the real services do.
import type { SecretsDialectName } from '../../api/dialects.ts';

export interface Behaviour {
  /** A workspace directory needs an administrator, and schemas if it fetches users. Elsewhere only a login fails. */
  readonly workspaceIsWhole: boolean;
  /** Deleting a missing static role is an error, as in OpenBao. */
  readonly deletesOnlyWhatIs: boolean;
  /** Rotating a role does not lower-case its name; all other operations do. */
  readonly rotatesByCase: boolean;
  /** An issuer has to sign with RS256 unless other algorithms are configured. Elsewhere only a login fails. */
  readonly wantsRS256: boolean;
  readonly name: string;
  /** A denial is worded as a list of one error. */
  readonly listsDenials: boolean;
  /** Reading an OIDC configuration reports whether its issuer answers. */
  readonly tellsOIDCStatus: boolean;
}

export const behaviours: Readonly<Record<SecretsDialectName, Behaviour>> = {
  secrets: {
    workspaceIsWhole: true,
    deletesOnlyWhatIs: false,
    rotatesByCase: false,
    wantsRS256: true,
    name: 'service',
    listsDenials: false,
    tellsOIDCStatus: false,
  },
  vault: {
    workspaceIsWhole: false,
    deletesOnlyWhatIs: true,
    rotatesByCase: true,
    wantsRS256: false,
    name: 'Vault',
    listsDenials: true,
    tellsOIDCStatus: true,
  },
};

/** Settings of the service that can change at any time. */
export interface Switches {
  /** Writing an OIDC configuration contacts its issuer. */
  readonly checksIssuers: boolean;
  readonly keyManagement: boolean;
  /** Key-management providers can be read, listed and deleted. Only writing is documented. */
  readonly kmsReads: boolean;
  readonly environment: Readonly<Record<string, string>>;
  /** The service has an identity at the key store, so no client credentials are needed. */
  readonly managedIdentity: boolean;
  readonly initialized: boolean;
  /** Prefix of the paths that are rate-limited. Empty: none. */
  readonly limited: string;
  /** `Retry-After` of such a reply; 0: no header. */
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
