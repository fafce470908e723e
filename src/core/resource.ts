// A declared object as the engine sees it: an envelope that the engine understands, and a spec that only its kind does.
import type { SpecError } from './errors.ts';
import type { Secret } from './secret.ts';

export interface Key {
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** `KIND/NAMESPACE/NAME`, or `KIND/NAME` of a kind that is cluster-scoped. */
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
  /** Rises with every change of the spec. */
  readonly generation: number;
  /** The object is being deleted from the source. */
  readonly deleting: boolean;
  /** It has our finalizer or inventory row, which is set once absence was observed, right before the first effect. */
  readonly held: boolean;
  /**
   * What is remembered of it may not be all. copied: it bears the record of another object, as copies and restored backups do.
   * recalled: its intent is the first one still, as after a crash, or after its status was stripped.
   */
  readonly doubt?: 'copied' | 'recalled';
  /** `holdfast.dev/<name>` annotations and commands: name → token or reason. */
  readonly requests: Readonly<Record<string, string>>;
  /** Requests that commands made, which are among those: name → who asked, and when; empty: not known. Absent: none. */
  readonly byCommand?: Readonly<Record<string, string>>;
  /** `undefined`: no valid one is known, and `problem` says why. */
  readonly spec: unknown;
  /** Why the current declaration can't be used; `spec` is then the last valid one. */
  readonly problem?: SpecError;
  /** The last declaration could not be used: its requests do not belong to `spec`. */
  readonly refused?: true;
  readonly origin?: string;
  /** Its manifest is gone, and why it is not deleted. */
  readonly heldBack?: string;
  /** For people, who choose objects by them; nothing is decided by them. Absent: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** RFC 3339: when it was first declared. For people. */
  readonly createdAt?: string;
}

/** Whether it has a spec that its kind can open. */
export const isReadable = ({ spec }: Pick<DeclaredObject, 'spec'>): boolean => spec !== undefined;

/**
 * Whether a target that is deleted waits for the object that refers to it. until-made: as long as that has no external
 * object yet, because it is made from the target.
 */
export type Holds = boolean | 'until-made';

/** What a spec refers to, as data. The engine resolves it, waits for it and indexes it backwards. */
export type Reference =
  | {
      readonly to: 'object';
      readonly field: string;
      readonly target: Key;
      readonly holds: Holds;
      /** The use of a connection that is not the object's own; its access rules decide. */
      readonly use?: { readonly externalName: string; readonly action: string };
      /** The object does not wait for it; the kind checks how it was resolved. */
      readonly optional?: true;
    }
  | { readonly to: 'secret'; readonly field: string; readonly target: Key; readonly entry: string };

export type Resolution =
  | { readonly state: 'ready'; readonly outputs: Readonly<Record<string, string>> }
  | { readonly state: 'secret'; readonly secret: Secret }
  | { readonly state: 'waiting' | 'missing' | 'denied'; readonly message: string };

export type Resolved = ReadonlyMap<string, Resolution>;

/** Enough to find and delete an external object without spec, references or connection: all strings. */
export type ExternalRef = Readonly<Record<string, string>>;

/** A service, and a sort of thing that it has: `scheduler/volume`, `secrets/ldap-role`. */
export type ResourceType = `${'scheduler' | 'secrets'}/${string}`;

/** An external object among those of all types. A role for LDAP and one for OIDC may have the same mount and name. */
export type ExternalObject = ExternalRef & { readonly type: ResourceType };

/** The same text for the same external object, whatever the order of its entries. */
export const refText = (ref: ExternalRef): string =>
  Object.keys(ref)
    .toSorted()
    .map((name) => `${name}=${ref[name]}`)
    .join('\n');
