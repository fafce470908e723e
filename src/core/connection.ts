// The content of a connection object: where a service is, who may use it, within which limits. Data only.
import type { PolicyChoice } from './planning/policy.ts';
import type { Key } from './resource.ts';
import type { Secret } from './secret.ts';

/** An entry of `spec.access`. An absent list allows everything of its kind; an absent `access` allows nobody. */
export interface Access {
  readonly namespaces?: readonly string[];
  readonly kinds?: readonly string[];
  /** Names or `prefix*` patterns of external objects. */
  readonly externalNames?: readonly string[];
  /** Allowed actions on allocations. Absent: none. */
  readonly actions?: readonly string[];
}

export interface DeletionLimits {
  readonly perHour: number;
  /** Percentage of a connection's objects that may be deleted at once; applies from six objects on. */
  readonly percent: number;
}

/** How a session with the secrets service begins. Mounts are paths of auth methods, without `auth/`. */
export type Auth =
  | { readonly is: 'token'; readonly token: Secret }
  /** Every login reads the service account token from `tokenFile`: projected tokens rotate. */
  | {
      readonly is: 'kubernetes';
      readonly mount: string;
      readonly role: string;
      readonly tokenFile: string;
    }
  | { readonly is: 'appRole'; readonly mount: string; readonly roleID: string; readonly secretID: Secret }
  | { readonly is: 'jwt'; readonly mount: string; readonly role: string; readonly jwt: Secret };

export interface Connection {
  readonly service: 'scheduler' | 'secrets';
  /** Identity of the backend, recorded with each of its objects: another address alone is not another backend. */
  readonly backend: string;
  readonly addresses: readonly string[];
  /** A Unix socket to use instead of the addresses. */
  readonly socketPath?: string;
  readonly dialect: string;
  readonly region?: string;
  /** A secrets service may have no namespaces: then it is empty, and not sent. */
  readonly namespace: string;
  readonly token?: Secret;
  /** Secrets services only; absent: with `token`. */
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

/** Whether some entry of `access` allows this object this external object, and this action. */
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
