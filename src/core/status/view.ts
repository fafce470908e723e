// What the status page reads: every object as it is in memory. Holds no secrets.
import type { Problem } from '../problem.ts';
import type { Status } from './status.ts';
import { conditionOf, isTrue } from './condition.ts';
import type { Reason } from './reasons.ts';
import type { Key } from '../resource.ts';
import type { Suspension } from '../suspension.ts';

export interface View {
  /** Every declared object, including those that are being deleted, by `keyText`. */
  keys(): Iterable<string>;
  /** What is wrong with the files, if it is declared in files. */
  problems(): readonly Problem[];
  /** Why what is found and done can't be recorded now, if it can't. */
  refusal(): string | undefined;
  /** Cheap. */
  object(key: string): ObjectView | undefined;
  /** Tells of every object that may have changed. The result ends it. */
  subscribe(changed: (key: string) => void): () => void;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly version: string;
}

/** What nobody declares, as it was listed last. */
export interface UnmanagedView {
  /** The first of them. */
  readonly items: readonly {
    readonly kind: string;
    /** keyText of the connection. */
    readonly connection: string;
    readonly mount?: string;
    readonly name: string;
  }[];
  readonly total: number;
  readonly failed: readonly { readonly what: string; readonly message: string }[];
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

export interface ObjectView {
  readonly key: Key;
  /** Where it is declared: `volumes/shop.yaml:12`. */
  readonly origin?: string;
  /** RFC 3339: when it was first declared. */
  readonly createdAt?: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly suspension?: Suspension;
  readonly status: Status;
  /** References that can't be resolved now. */
  readonly waitsFor: readonly Wait[];
  /** Milliseconds since 1970. Absent: only an event causes the next look. */
  readonly nextVisitMs?: number;
  /** Key of its connection. */
  readonly through?: string;
  /** Present for connections. */
  readonly connection?: ConnectionView;
  /** What its kind does in several steps. */
  readonly timeline?: readonly TimelineStep[];
}

/** A reference that holds the object up. */
export interface Wait {
  readonly field: string;
  readonly target: Key;
  readonly state: 'waiting' | 'missing' | 'denied';
  readonly message: string;
}

export interface ConnectionView {
  /** live: the service reports changes. polling: Holdfast asks. reconnecting: neither works now. */
  readonly watch: 'live' | 'polling' | 'reconnecting' | 'off';
  /** The last list, and its state index. */
  readonly list?: { readonly index: number; /** Milliseconds since 1970. */ readonly atMs: number };
  /** The event stream, where the service has one. denied: the token may not read it. */
  readonly events?: 'live' | 'reconnecting' | 'denied';
}

export interface TimelineStep {
  /** RFC 3339. Absent: not reached yet. */
  readonly at?: string;
  readonly what: string;
  readonly done: boolean;
}

/** The states of an object, the worst first. */
export const states = ['stalled', 'not-ready', 'reconciling', 'ready'] as const;
export type State = (typeof states)[number];

/** These hold besides. */
export const marks = ['drifted', 'suspended', 'deleting'] as const;
export type Mark = (typeof marks)[number];

/**
 * stalled: a person is needed. not-ready: it can't be used, and waits or is being worked on. reconciling: it is worked
 * on, and was well when last read or was never read. ready: all is well.
 */
export function stateOf({ status: { conditions } }: ObjectView): State {
  if (isTrue(conditions, 'Stalled')) return 'stalled';
  const ready = conditionOf(conditions, 'Ready')?.status ?? 'Unknown';
  if (ready === 'False') return 'not-ready';
  return ready === 'Unknown' || isTrue(conditions, 'Reconciling') ? 'reconciling' : 'ready';
}

export function marksOf(object: ObjectView): readonly Mark[] {
  const drifted = (object.status.drift?.fields.length ?? 0) > 0;
  const held = { drifted, suspended: object.suspension !== undefined, deleting: object.deleting };
  return marks.filter((mark) => held[mark]);
}

const attention = ['Stalled', 'Reconciling'] as const;

/** What a person reads first. */
export function headline({ status: { conditions } }: ObjectView): {
  readonly reason: string;
  readonly message: string;
} {
  const active = attention.find((type) => isTrue(conditions, type)) ?? 'Ready';
  const condition = conditionOf(conditions, active);
  if (!condition) return { reason: 'Pending' satisfies Reason, message: 'not reconciled yet' };
  const synced = conditionOf(conditions, 'Synced');
  const aside = active === 'Ready' && condition.message === '' && synced?.status === 'False';
  return aside ? synced : condition;
}
