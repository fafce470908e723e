// Describes an effect to the gate (api/effect.ts) and its observers; and the effects that go to the source.
import type { Key } from './resource.ts';
import type { Json } from './secret.ts';
import type { Output } from './source/output.ts';

/**
 * What to do if the answer is lost. repeatable: doing it again is harmless. findable: observing tells whether it
 * happened. at-most-once: neither; it is reported as unknown and never repeated.
 */
export type Repeat = 'repeatable' | 'findable' | 'at-most-once';

export interface EffectInfo {
  readonly port: 'scheduler' | 'secrets' | 'ldap' | 'issuer' | 'state' | 'output' | 'kubernetes';
  /** Operation, e.g. `volume.create`, `ldap.bind`, `state.commit`. */
  readonly op: string;
  readonly mutates: false | Repeat;
  readonly key?: string;
}

/** A workload of Kubernetes, in the namespace of the object that names it. */
export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly name: string;
}

/** An object that another one has the source declare: no manifest does. */
export interface Child {
  /** In the namespace of the object that declares it. */
  readonly key: Key;
  readonly labels: Readonly<Record<string, string>>;
  /** Those of `holdfast.dev/` are requests; `generated-by` among them names the object that declares it. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, Json>>;
}

/** One child, and no other of its name. */
export interface ChildRef {
  readonly key: Key;
  readonly uid: string;
  /**
   * Which decision of its parent lets it go with its data (core/planning/deletion-limits.ts). Absent: it goes as its own
   * `deletionPolicy` says.
   */
  readonly expired?: string;
}

/** An effect that goes to the source of the object, not to a service. */
export type SourceEffect =
  /** Writes an output, whole or not at all. */
  | { readonly port: 'source'; readonly op: 'output.write'; readonly output: Output }
  /** Asks whether an output could be written now, by writing as much where it goes. */
  | { readonly port: 'source'; readonly op: 'output.try'; readonly name: string }
  /** Takes an output away; what is not there, or not this object's, stays as it is. */
  | { readonly port: 'source'; readonly op: 'output.delete'; readonly name: string }
  /** Asks that the pods of a workload be replaced. Asked again with the same token, nothing happens. */
  | {
      readonly port: 'source';
      readonly op: 'workload.restart';
      readonly workload: Workload;
      readonly token: string;
    }
  /** Declares a child. One of that name that this object has declared already stays as it is. */
  | { readonly port: 'source'; readonly op: 'child.create'; readonly child: Child }
  /**
   * Has children deleted; those that expire with their data: their `deletionPolicy` becomes Delete first. What is gone, is
   * another by now, or was asked to be kept stays as it is.
   */
  | { readonly port: 'source'; readonly op: 'child.delete'; readonly children: readonly ChildRef[] };

/** Names of the requests that say whose child an object is, which decision lets it go, and that nothing may. */
export const generatedBy = 'generated-by';
export const expired = 'expired';
export const retentionHold = 'retention-hold';

/** A child that is made to be thrown away. */
export interface Throwaway {
  readonly key: Key;
  /** Absent: it was not seen yet. */
  readonly uid?: string;
}

export const isSourceEffect = (effect: unknown): effect is SourceEffect =>
  typeof effect === 'object' && effect !== null && 'port' in effect && effect.port === 'source';
