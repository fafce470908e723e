// Describes an effect to the gate (api/effect.ts) and its observers.

/**
 * What to do if the answer is lost. repeatable: doing it again is harmless. findable: observing tells whether it
 * happened. at-most-once: neither; it is reported as unknown and never repeated.
 */
export type Repeat = 'repeatable' | 'findable' | 'at-most-once';

export interface EffectInfo {
  readonly port: 'scheduler' | 'secrets' | 'ldap' | 'state' | 'output';
  /** Operation, e.g. `volume.create`, `ldap.bind`, `state.commit`. */
  readonly op: string;
  readonly mutates: false | Repeat;
  readonly key?: string;
}
