// What a plan is made from.
import type { Json } from '../secret.ts';
import type { Published } from '../source/output.ts';
import type { ExternalRef, Key, Resolved } from '../resource.ts';
import type { Status } from '../status/status.ts';
import type { Policy } from './policy.ts';

/** What was read of the external object. A read that failed is an error, never `absent`. */
export type Observed<Live> = (
  | { readonly state: 'absent' }
  | { readonly state: 'present'; readonly live: Live }
  /** The service can't tell what it has. */
  | { readonly state: 'unknown' }
) & {
  /** What an earlier removal let go of, and has not destroyed yet. */
  readonly retired?: Live;
  /** What else was read. */
  readonly around?: Json;
};

/** Everything that a plan depends on. */
export interface Situation<Spec, Live, Own> {
  readonly key: Key;
  readonly uid: string;
  readonly deleting: boolean;
  readonly held: boolean;
  /** What is remembered of it may not be all (core/resource.ts). */
  readonly doubt?: 'copied' | 'recalled';
  readonly requests: Readonly<Record<string, string>>;
  readonly spec: Spec;
  /** Where the object is: as recorded, else as declared. */
  readonly ref: ExternalRef;
  /** Where the declaration places it now. */
  readonly located: ExternalRef;
  readonly resolved: Resolved;
  readonly observed: Observed<Live>;
  /** What is there of its output. Absent for objects without one. */
  readonly published?: Published;
  readonly status: Status<Own>;
  readonly policy: Policy;
  /** Monotonic. */
  readonly nowMs: number;
  /** Letters and digits, drawn at random for this look: they become part of a new name. */
  readonly nonce: string;
  /** Milliseconds since 1970 by this machine's clock: only to compare with the times of a service. */
  readonly wallMs: number;
  readonly since: Since;
}

/**
 * Since when (`nowMs`) something has been so, as far as this process knows. What a plan does not ask for is forgotten,
 * and so is everything once an intent is recorded. A new process starts over, so such a wait never ends too soon.
 * @param what names one fact: another occurrence has another name
 */
export type Since = (what: string) => number;

export type Moment = Pick<Situation<never, never, never>, 'nowMs' | 'wallMs' | 'since'>;
