// A declared object as the engine sees it: an envelope that the engine understands, and a spec that only its kind
// understands. Also keys, references between objects, and references to external objects.
import type { SpecError } from './errors.ts';
import type { Secret } from './secret.ts';

export interface Key {
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** `KIND/NAMESPACE/NAME`, or `KIND/NAME` for a cluster-scoped kind. This text is what other modules call `key`. */
export const keyText = ({ kind, namespace, name }: Key): string =>
  namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;

export function parseKey(text: string): Key | undefined {
  const [kind, second, third, ...rest] = text.split('/');
  if (!kind || !second || rest.length > 0 || third === '') return undefined;
  return third === undefined
    ? { kind, namespace: '', name: second }
    : { kind, namespace: second, name: third };
}

export interface DeclaredObject {
  readonly key: Key;
  readonly uid: string;
  readonly generation: number;
  readonly deleting: boolean;
  /**
   * The object has our finalizer, or its inventory row is marked. It is set after the external object was observed to be
   * absent, right before the first effect.
   */
  readonly held: boolean;
  /**
   * Why the status may be incomplete. copied: the object carries the intent of another UID, as copied manifests and
   * restored backups do. recalled: only the first intent is known, as after a crash, or after the status was stripped.
   */
  readonly doubt?: 'copied' | 'recalled';
  /**
   * The status is the one of the first intent, and none that was written later is stored: none ever was, or it was
   * stripped.
   */
  readonly unwritten?: true;
  /** Annotations `holdfast.dev/<name>` and commands: name → token or reason. */
  readonly requests: Readonly<Record<string, string>>;
  /** Those of `requests` that a command made: name → who ran it, and when; empty if unknown. Absent: none. */
  readonly byCommand?: Readonly<Record<string, string>>;
  /** `undefined`: no valid spec is known; `problem` says why. */
  readonly spec: unknown;
  /** Why the current declaration can't be used. `spec` is then the last valid one. */
  readonly problem?: SpecError;
  /** The current declaration can't be used, so `requests`, which come from it, do not belong to `spec`. */
  readonly refused?: true;
  readonly origin?: string;
  readonly heldBack?: string;
  /** Labels, by which people select objects. The engine ignores them. Absent: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** When the object was first declared (RFC 3339), for people. */
  readonly createdAt?: string;
}

export const isReadable = ({ spec }: Pick<DeclaredObject, 'spec'>): boolean => spec !== undefined;

/**
 * Whether the deletion of a target waits for the object that refers to it. until-made: only while that object has no
 * external object yet, because it is made from the target.
 */
export type Holds = boolean | 'until-made';

/** A reference of a spec, as data. The engine resolves it, waits for it, and indexes it in both directions. */
export type Reference =
  | {
      readonly to: 'object';
      readonly field: string;
      readonly target: Key;
      readonly holds: Holds;
      /** How the object uses a connection that is not its own; checked against the access rules of that connection. */
      readonly use?: {
        readonly externalName: string;
        readonly action: string;
        /** Of the scheduler. Absent: that of the connection. */
        readonly within?: string;
      };
      /** The object does not wait for the target; its kind handles each resolution. */
      readonly optional?: true;
    }
  | { readonly to: 'secret'; readonly field: string; readonly target: Key; readonly entry: string };

export type Resolution =
  | { readonly state: 'ready'; readonly outputs: Readonly<Record<string, string>> }
  | { readonly state: 'secret'; readonly secret: Secret }
  | { readonly state: 'waiting' | 'missing' | 'denied'; readonly message: string };

export type Resolved = ReadonlyMap<string, Resolution>;

/** Enough to find and delete an external object without its spec, references or connection. All values are strings. */
export type ExternalRef = Readonly<Record<string, string>>;

/** A service and a type of object in it: `scheduler/volume`, `secrets/ldap-role`. */
export type ResourceType = `${'scheduler' | 'secrets'}/${string}`;

/** A reference that is unique across types: an LDAP role and an OIDC role may have the same mount and name. */
export type ExternalObject = ExternalRef & { readonly type: ResourceType };

/** An external object in the newest list. pending: the first list is not complete, and does not have the object so far. */
export type Listed =
  | 'pending'
  | {
      /** Equal to that of a read (core/kind/kind.ts, `Report.version`) as long as nothing has changed. */
      readonly version: string;
      /** State index. */
      readonly index: number;
    };

const ofEngines: ReadonlySet<ResourceType> = new Set<ResourceType>([
  'secrets/ldap-config',
  'secrets/ldap-role',
  'secrets/kms-provider',
]);

/**
 * The external object by the one name that it has, where the path of an engine or the connection may name its namespace: all of it
 * in the path (services.md#secrets-namespaces). A login method has one name anyway, because `auth/` is between the two.
 */
export function inRoot(ref: ExternalObject): ExternalObject {
  const { backend = '', mount } = ref;
  const at = backend.indexOf(' ');
  if (at < 0 || mount === undefined || !ofEngines.has(ref.type)) return ref;
  return { ...ref, backend: backend.slice(0, at), mount: `${backend.slice(at + 1)}/${mount}` };
}

export const refText = (ref: ExternalRef): string =>
  Object.keys(ref)
    .toSorted()
    .map((name) => `${name}=${ref[name]}`)
    .join('\n');
