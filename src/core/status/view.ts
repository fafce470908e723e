// The port of the status page: every object as it is in memory. Holds no secrets.
import type { Problem } from '../text/problem.ts';
import { canonical } from '../hash.ts';
import type { FieldChange, Status } from './status.ts';
import { conditionOf, isTrue } from './condition.ts';
import type { Reason } from './reasons.ts';
import type { Key } from '../resource.ts';
import type { Suspension } from '../suspension.ts';

export interface View {
  /** keyText of every declared object, including those being deleted. */
  keys(): Iterable<string>;
  /** Problems of the declared files. Empty for sources without files. */
  problems(): readonly Problem[];
  /** Why results can't be stored now; `undefined`: they can. */
  refusal(): string | undefined;
  /** Synchronous and cheap. */
  object(key: string): ObjectView | undefined;
  /** Calls `changed` with the key of every object that may have changed. @returns a function that ends the subscription */
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
  /** File and line of the declaration: `volumes/shop.yaml:12`. */
  readonly origin?: string;
  /** When the object was first declared (RFC 3339). */
  readonly createdAt?: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly suspension?: Suspension;
  readonly status: Status;
  readonly waitsFor: readonly Wait[];
  /** Milliseconds since 1970. Absent: only an event causes the next visit. */
  readonly nextVisitMs?: number;
  /** keyText of the object's connection. */
  readonly through?: string;
  readonly connection?: ConnectionView;
  readonly timeline?: readonly TimelineStep[];
}

export interface Wait {
  readonly field: string;
  readonly target: Key;
  readonly state: 'waiting' | 'missing' | 'denied';
  readonly message: string;
}

export interface ConnectionView {
  /** live: the service reports changes. polling: Holdfast lists regularly. reconnecting: neither works now. */
  readonly watch: 'live' | 'polling' | 'reconnecting' | 'off';
  /** State index and time of the last list. */
  readonly list?: { readonly index: number; /** Milliseconds since 1970. */ readonly atMs: number };
  /** State of the event stream, if the service has one. denied: the token may not read it. */
  readonly events?: 'live' | 'reconnecting' | 'denied';
}

export interface TimelineStep {
  /** RFC 3339. Absent: not reached yet. */
  readonly at?: string;
  readonly what: string;
  readonly done: boolean;
}

/** The states of an object, worst first. */
export const states = ['stalled', 'not-ready', 'reconciling', 'ready'] as const;
export type State = (typeof states)[number];

/** Marks that an object may have in addition to its state. */
export const marks = ['drifted', 'suspended', 'deleting'] as const;
export type Mark = (typeof marks)[number];

/**
 * stalled: a person must act. not-ready: the object can't be used, and waits or is being worked on. reconciling: it is
 * being worked on, and was ready when last observed or was never observed. ready: all is well.
 */
export function stateOf({ status: { conditions } }: ObjectView): State {
  if (isTrue(conditions, 'Stalled')) return 'stalled';
  const ready = conditionOf(conditions, 'Ready')?.status ?? 'Unknown';
  if (ready === 'False') return 'not-ready';
  return ready === 'Unknown' || isTrue(conditions, 'Reconciling') ? 'reconciling' : 'ready';
}

/**
 * Why a field differs. outside: the external object is not as it was last written. edit: the declaration was changed since
 * then. unwritten: nothing was written yet.
 */
export function differenceOf(
  { applied }: Pick<Status, 'applied'>,
  { path, desired, cause }: FieldChange,
): 'outside' | 'edit' | 'unwritten' {
  const written = Object.hasOwn(applied, path) ? applied[path] : undefined;
  if (cause === 'drift') return 'outside';
  if (written === undefined) return 'unwritten';
  // What is gone outside differs in every field, also in those that were not edited.
  return canonical(written) === canonical(desired) ? 'outside' : 'edit';
}

export function marksOf(object: ObjectView): readonly Mark[] {
  const { status } = object;
  const drifted = status.drift?.fields.some((field) => differenceOf(status, field) === 'outside') === true;
  const held = { drifted, suspended: object.suspension !== undefined, deleting: object.deleting };
  return marks.filter((mark) => held[mark]);
}

const attention = ['Stalled', 'Reconciling'] as const;

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
