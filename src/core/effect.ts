// Data types of effects: the description that the gate requires of every effect (api/effect.ts), and the effects that the
// source performs.
import type { Key } from './resource.ts';
import type { Json } from './secret.ts';
import type { Output } from './source/output.ts';

/**
 * What to do if the response is lost. repeatable: send it again. findable: observe whether it happened. at-most-once:
 * neither is possible, so it is reported as unknown and never repeated.
 */
export type Repeat = 'repeatable' | 'findable' | 'at-most-once';

export interface EffectInfo {
  readonly port: 'scheduler' | 'secrets' | 'ldap' | 'issuer' | 'state' | 'output' | 'kubernetes';
  readonly op: string;
  readonly mutates: false | Repeat;
  readonly key?: string;
}

export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly name: string;
}

/** An object that another object, its parent, declares through the source. No manifest declares it. */
export interface Child {
  /** In the parent's namespace. */
  readonly key: Key;
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations with the prefix `holdfast.dev/` are requests. `generated-by` names the parent. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, Json>>;
}

/** One child. The UID excludes a later object of the same name. */
export interface ChildRef {
  readonly key: Key;
  readonly uid: string;
  /**
   * ID of the parent's decision that lets it expire together with its data (core/planning/deletion-limits.ts). Absent: it
   * is deleted as its own `deletionPolicy` says.
   */
  readonly expired?: string;
}

export type SourceEffect =
  /** Writes an output, completely or not at all. */
  | { readonly port: 'source'; readonly op: 'output.write'; readonly output: Output }
  /** Tests whether an output could be written now, by a trial write of the largest output size. */
  | { readonly port: 'source'; readonly op: 'output.try'; readonly name: string }
  /** Deletes an output. An output that is absent or belongs to another object is left alone. */
  | { readonly port: 'source'; readonly op: 'output.delete'; readonly name: string }
  /** Asks the cluster to replace the pods of a workload. Asking again with the same token has no effect. */
  | {
      readonly port: 'source';
      readonly op: 'workload.restart';
      readonly workload: Workload;
      readonly token: string;
    }
  /** Declares a child. A child of that name that this object already declared is left as it is. */
  | { readonly port: 'source'; readonly op: 'child.create'; readonly child: Child }
  /**
   * Deletes children. The `deletionPolicy` of those that expire is set to Delete first, so that their data goes, too. A
   * child is skipped if it is gone, has another UID, or was asked to be kept.
   */
  | { readonly port: 'source'; readonly op: 'child.delete'; readonly children: readonly ChildRef[] };

export const generatedBy = 'generated-by';
export const expired = 'expired';
export const retentionHold = 'retention-hold';

/** A child that its parent always deletes in the end. */
export interface Throwaway {
  readonly key: Key;
  /** Absent: the child was not observed yet. */
  readonly uid?: string;
}

export const isSourceEffect = (effect: unknown): effect is SourceEffect =>
  typeof effect === 'object' && effect !== null && 'port' in effect && effect.port === 'source';
