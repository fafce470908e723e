// What an effect out of the process is, to the gate that it passes (api/effect.ts) and to those who watch it.

/**
 * What may be done when an answer was lost. repeatable: the same call again does no harm. findable: looking tells
 * whether it happened. at-most-once: neither; it is reported as unknown and never repeated.
 */
export type Repeat = 'repeatable' | 'findable' | 'at-most-once';

export interface EffectInfo {
  /** Where it goes. */
  readonly port: 'scheduler' | 'secrets' | 'ldap' | 'state' | 'output';
  /** Operation, e.g. `volume.create`, `ldap.bind`, `state.commit`. */
  readonly op: string;
  /** false: it only reads. */
  readonly mutates: false | Repeat;
  /** The object on whose behalf, where there is one. */
  readonly key?: string;
}
