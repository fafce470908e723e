// What a declared object is to the engine: an envelope that it understands and a spec that only its kind does.
import type { SpecError } from './errors.ts';
import type { Secret } from './secret.ts';

export interface Key {
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** `CSIVolume/shop/data`, `SchedulerConnection/production`. */
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
  /** It is leaving the source. */
  readonly deleting: boolean;
  /** Our finalizer or inventory row is on it: put there after absence was seen, right before the first effect. */
  readonly held: boolean;
  /** `holdfast.dev/<name>` annotations and commands: name → token or reason. */
  readonly requests: Readonly<Record<string, string>>;
  readonly spec: unknown;
  /** Why the declaration as it stands now can't be used; `spec` is then the last valid one. */
  readonly problem?: SpecError;
  /** It is declared no more, and whether it leaves is not decided yet: nothing is done for it. */
  readonly undecided?: true;
  /** Its declaration, as it stood last, could not be used: what that asked for is not what `spec` says. */
  readonly refused?: true;
  /** Where it is declared, for people. */
  readonly origin?: string;
}

/** What a spec points at, as data. The engine resolves it, waits for it and indexes it backwards. */
export type Reference =
  | {
      readonly to: 'object';
      readonly field: string;
      readonly target: Key;
      /** Must the target wait for us when both are deleted? */
      readonly holds: boolean;
      /** What is wanted of a connection that is not the object's own; its access rules decide. */
      readonly use?: { readonly externalName: string; readonly action: string };
      /** Nothing waits for it but what needs it: the kind looks at how it was resolved. */
      readonly optional?: true;
    }
  | { readonly to: 'secret'; readonly field: string; readonly target: Key; readonly entry: string };

export type Resolution =
  | { readonly state: 'ready'; readonly outputs: Readonly<Record<string, string>> }
  | { readonly state: 'secret'; readonly secret: Secret }
  | { readonly state: 'waiting' | 'missing' | 'denied'; readonly message: string };

/** Field pointer → what it resolved to. */
export type Resolved = ReadonlyMap<string, Resolution>;

/** Enough to find and delete an external object without spec, references or connection: all strings. */
export type ExternalRef = Readonly<Record<string, string>>;

/** The same text for the same external object, whatever the order of its entries. */
export const refText = (ref: ExternalRef): string =>
  Object.keys(ref)
    .toSorted()
    .map((name) => `${name}=${ref[name]}`)
    .join('\n');
