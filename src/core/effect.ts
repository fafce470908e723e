// Describes an effect to the gate (api/effect.ts) and its observers; and the effects that go to the source.
import type { Output } from './source/output.ts';

/**
 * What to do if the answer is lost. repeatable: doing it again is harmless. findable: observing tells whether it
 * happened. at-most-once: neither; it is reported as unknown and never repeated.
 */
export type Repeat = 'repeatable' | 'findable' | 'at-most-once';

export interface EffectInfo {
  readonly port: 'scheduler' | 'secrets' | 'ldap' | 'state' | 'output' | 'kubernetes';
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
    };

export const isSourceEffect = (effect: unknown): effect is SourceEffect =>
  typeof effect === 'object' && effect !== null && 'port' in effect && effect.port === 'source';
