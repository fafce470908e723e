// What a connection object says, once parsed: where a service is, who may use it, within which limits. Data only.
import type { PolicyChoice } from './planning/policy.ts';
import type { Key } from './resource.ts';
import type { Secret } from './secret.ts';

/** One line of `spec.access`. Absent lists allow everything of their sort; an absent `access` allows nobody. */
export interface Access {
  readonly namespaces?: readonly string[];
  readonly kinds?: readonly string[];
  /** Names or `prefix*` patterns of external objects. */
  readonly externalNames?: readonly string[];
  /** What may be done to allocations. Absent: nothing. */
  readonly actions?: readonly string[];
}

export interface DeletionLimits {
  /** Objects that may leave the source per hour before approval is needed. */
  readonly perHour: number;
  /** Per cent of a connection's objects that may leave at once; applies from six objects on. */
  readonly percent: number;
}

/** How a session with the secrets service begins. Mounts are those of the auth methods, without `auth/`. */
export type Auth =
  | { readonly is: 'token'; readonly token: Secret }
  /** The service account's token is read from `tokenFile` at every login: projected tokens rotate. */
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
  /** Identity of the backend, recorded with every object on it: a changed address is not the same backend. */
  readonly backend: string;
  readonly addresses: readonly string[];
  /** A Unix socket that leads there instead of the addresses' hosts and ports. */
  readonly socketPath?: string;
  readonly dialect: string;
  readonly region?: string;
  /** The service's. Secrets services may have none: then it is empty, and none is named to them. */
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

/** Whether some line of `access` lets this object use the connection for that external object, and for that action. */
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
