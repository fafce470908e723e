// The input of a plan: everything that it depends on, so that planning is a pure function.
import type { Json } from '../secret.ts';
import type { Published } from '../source/output.ts';
import type { ExternalRef, Key, Resolved } from '../resource.ts';
import type { Status } from '../status/status.ts';
import type { Policy } from './policy.ts';

/** The state of the external object. A failed read is an error, never `absent`. */
export type Observed<Live> = (
  | { readonly state: 'absent' }
  | { readonly state: 'present'; readonly live: Live }
  /** The service can't tell whether the object exists. */
  | { readonly state: 'unknown' }
) & {
  /** What an earlier removal let go of and has not destroyed yet. */
  readonly retired?: Live;
  /** Other state that was read besides, for a create or for a report. */
  readonly related?: Json;
};

export interface Situation<Spec, Live, Own> {
  readonly key: Key;
  readonly uid: string;
  readonly deleting: boolean;
  readonly held: boolean;
  readonly doubt?: 'copied' | 'recalled';
  readonly requests: Readonly<Record<string, string>>;
  readonly spec: Spec;
  /** The recorded external object, otherwise the declared one. */
  readonly ref: ExternalRef;
  /** The external object that the declaration names now. */
  readonly located: ExternalRef;
  /** The end of the located backend that names a part of its service. Absent: there is none. */
  readonly within?: string;
  readonly resolved: Resolved;
  readonly observed: Observed<Live>;
  /** State of the published output. Absent for objects without one. */
  readonly published?: Published;
  readonly status: Status<Own>;
  readonly policy: Policy;
  /** Milliseconds on the monotonic clock. */
  readonly nowMs: number;
  /** Random letters and digits, drawn for this observation. They become part of a new name. */
  readonly nonce: string;
  /** Milliseconds since 1970 by this machine's date. Only for comparison with times that a service states or a record holds. */
  readonly wallMs: number;
  readonly since: Since;
}

/**
 * Since when a fact has held, on the clock of `nowMs` and as far as this process knows. A fact that a plan does not ask for
 * is forgotten, and so are all facts once an intent is recorded. A new process starts over, so a wait never ends too soon.
 * @param what names one fact; another occurrence needs another name
 */
export type Since = (what: string) => number;

export type Moment = Pick<Situation<never, never, never>, 'nowMs' | 'wallMs' | 'since'>;
