// Where the dialects behave differently beyond names and shapes: the documents' word against the real service's
// (wire.md 3.5). Where the documents are silent, both do what the real service does.
import type { SecretsDialectName } from '../../api/dialects.ts';

export interface Behaviour {
  /** A workspace directory needs an administrator, and schemas to fetch users with; elsewhere a login finds that out. */
  readonly workspaceIsWhole: boolean;
  /** Deleting a static role that is not there is an error: nothing is due of it (what the real server says). */
  readonly deletesOnlyWhatIs: boolean;
  /** A rotation takes the role's name as it was given; everything else of roles folds its case. */
  readonly rotatesByCase: boolean;
  /** An issuer has to sign with RS256, where no other algorithm is named; elsewhere a login finds that out. */
  readonly wantsRS256: boolean;
  /** How it calls itself. */
  readonly name: string;
  /** That no policy allows something is told as one error of a list. */
  readonly listsDenials: boolean;
  /** Reading an OIDC configuration tells whether its issuer answers. */
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

/** What a service may be told to be like, at its start and at any time after. */
export interface Switches {
  /** Writing an OIDC configuration asks its issuer. */
  readonly checksIssuers: boolean;
  /** Key management can be mounted. */
  readonly keyManagement: boolean;
  /** Providers of key management can be read, listed and deleted: the documents show writing only. */
  readonly kmsReads: boolean;
  /** Of the service's process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The service has an identity at the key store: it needs no client's. */
  readonly managedIdentity: boolean;
  /** It was set up once. */
  readonly initialized: boolean;
  /** Of each path that begins so, no request is answered: there were too many. Empty: none. */
  readonly limited: string;
  /** Told with that; 0: not told. */
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
