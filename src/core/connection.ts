// A connection as its object defines it: where a service is, how to log in, which objects may use it, and its limits. Data
// and pure functions only; src/api turns it into a client.
import type { PolicyChoice } from './planning/policy.ts';
import type { Key } from './resource.ts';
import type { Secret } from './secret.ts';

/** An entry of `spec.access`. An absent list allows every value. Without any entry, no object may use the connection. */
export interface Access {
  readonly namespaces?: readonly string[];
  readonly kinds?: readonly string[];
  /** Names of external objects, or patterns `prefix*`. */
  readonly externalNames?: readonly string[];
  /** Allowed actions on allocations. Absent: none. */
  readonly actions?: readonly string[];
}

export interface DeletionLimits {
  readonly perHour: number;
  /** Percentage of a connection's objects that may be deleted at once. Applies from six objects on. */
  readonly percent: number;
}

/** A service account of the cluster that the connection is declared in. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
  /** Empty: the API server's own. */
  readonly audiences: readonly string[];
}

/** Requests a short-lived token of a service account from the cluster. @throws ApiError */
export type RequestToken = (account: ServiceAccount, signal: AbortSignal) => Promise<Secret>;

/** How to log in to the secrets service. `mount` is the path of the auth method, without `auth/`. */
export type Auth =
  | { readonly is: 'token'; readonly token: Secret }
  /** Each login reads the service account token from `tokenFile` again, because projected tokens rotate. */
  | {
      readonly is: 'kubernetes';
      readonly mount: string;
      readonly role: string;
      readonly tokenFile: string;
    }
  /** Each login requests a new token of the account. */
  | {
      readonly is: 'serviceAccount';
      readonly mount: string;
      readonly role: string;
      readonly account: ServiceAccount;
    }
  | { readonly is: 'appRole'; readonly mount: string; readonly roleID: string; readonly secretID: Secret }
  | { readonly is: 'jwt'; readonly mount: string; readonly role: string; readonly jwt: Secret };

export interface Connection {
  readonly service: 'scheduler' | 'secrets';
  /** Identity of the backend, recorded with each external object. It stays the same if only the address changes. */
  readonly backend: string;
  /** The end of `backend` that names a part of the service: its region, its namespace. Absent: there is none. */
  readonly within?: string;
  readonly addresses: readonly string[];
  readonly socketPath?: string;
  readonly dialect: string;
  readonly region?: string;
  /** Empty if the secrets service has no namespaces; it is then not sent. */
  readonly namespace: string;
  readonly token?: Secret;
  /** Secrets services only. Absent: `token` is used. */
  readonly auth?: Auth;
  readonly tls?: {
    readonly ca?: Secret;
    readonly certificate?: Secret;
    readonly key?: Secret;
    readonly serverName?: string;
  };
  readonly access: readonly Access[];
  readonly defaults: PolicyChoice;
  readonly limits: { readonly maxConcurrent: number; readonly deletions: DeletionLimits };
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

const allows = (list: readonly string[] | undefined, name: string): boolean =>
  list === undefined || list.some((pattern) => matches(pattern, name));

export const mayUse = (
  access: readonly Access[],
  object: Key,
  externalName: string,
  action?: string,
): boolean =>
  access.some(
    (line) =>
      (action === undefined || line.actions?.includes(action) === true) &&
      allows(line.namespaces, object.namespace) &&
      allows(line.kinds, object.kind) &&
      allows(line.externalNames, externalName),
  );

/** Backend of the whole service, where the connection leads to a namespace of it. A region of a scheduler is a service of its own. */
export const rootBackend = ({
  service,
  backend,
  within,
}: Pick<Connection, 'service' | 'backend' | 'within'>): string | undefined =>
  service === 'secrets' && within !== undefined ? backend.slice(0, -within.length - 1) : undefined;

/** Whether all these external objects may be used. */
export const mayUseAll = (
  access: readonly Access[],
  object: Key,
  externalNames: readonly string[],
): boolean => externalNames.every((name) => mayUse(access, object, name));

/**
 * The rules that count for a namespace of the scheduler. Those that name what may be used name it in the namespace of the
 * connection: elsewhere, something else has that name.
 * @param within absent: the namespace of the connection
 */
export const rulesFor = (
  { access, namespace }: Pick<Connection, 'access' | 'namespace'>,
  within: string = namespace,
): readonly Access[] =>
  within === namespace ? access : access.filter(({ externalNames }) => externalNames === undefined);
