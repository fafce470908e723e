// The port that the status page reads through: what it needs of the operator, and how one object is summed up. Whoever
// implements it hands over what is in memory already; nothing in it holds a secret.
import type { Status } from './status.ts';
import { conditionOf, isTrue } from './condition.ts';
import type { Reason } from './reasons.ts';
import type { Key } from './resource.ts';

export interface View {
  /** Every declared object, leaving ones included, as `keyText` writes keys. */
  keys(): Iterable<string>;
  /** As it stands now; cheap. */
  object(key: string): ObjectView | undefined;
  /**
   * Tells of every object that changed, appeared or went. It may tell too often, and must never tell too little.
   * The answer ends it.
   */
  subscribe(changed: (key: string) => void): () => void;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly version: string;
}

export interface ObjectView {
  readonly key: Key;
  /** Where it is declared: `volumes/shop.yaml:12`. */
  readonly origin?: string;
  readonly generation: number;
  /** It is leaving the source. */
  readonly deleting: boolean;
  readonly suspended: boolean;
  readonly memory: Status;
  /** References that don't resolve now. */
  readonly waitsFor: readonly Wait[];
  /** When it is looked at again unasked; milliseconds since 1970. Absent: only when something tells. */
  readonly nextVisitMs?: number;
  /** Key of the connection that it uses. */
  readonly through?: string;
  /** Present for connections. */
  readonly connection?: ConnectionView;
  /** A rotation's way, in its order: rotate, seen, bind, publish, consumers, verified. */
  readonly timeline?: readonly TimelineStep[];
}

/** A reference that holds an object up. */
export interface Wait {
  /** JSON pointer into the spec. */
  readonly field: string;
  readonly target: Key;
  readonly state: 'waiting' | 'missing' | 'denied';
  readonly message: string;
}

export interface ConnectionView {
  /** live: told of changes by the service. polling: asks by itself. reconnecting: neither at present. */
  readonly watch: 'live' | 'polling' | 'reconnecting' | 'off';
  /** The last list of its live state, and the state index that the service gave it. */
  readonly list?: { readonly index: number; /** Milliseconds since 1970. */ readonly atMs: number };
  /** The event stream of services that have one. denied: the token may not listen, or there are none. */
  readonly events?: 'live' | 'reconnecting' | 'denied';
}

export interface TimelineStep {
  /** RFC 3339. Absent: not reached yet. */
  readonly at?: string;
  readonly what: string;
  readonly done: boolean;
}

/** One of these holds of each object; the worst comes first. */
export const states = ['stalled', 'not-ready', 'reconciling', 'ready'] as const;
export type State = (typeof states)[number];

/** These may hold besides. */
export const marks = ['drifted', 'suspended', 'deleting'] as const;
export type Mark = (typeof marks)[number];

/**
 * stalled: a person is needed. not-ready: it can't be used, and waits or is being worked on. reconciling: it is looked
 * into, and was well when last seen or was never seen. ready: all is well.
 */
export function stateOf({ memory: { conditions } }: ObjectView): State {
  if (isTrue(conditions, 'Stalled')) return 'stalled';
  const ready = conditionOf(conditions, 'Ready')?.status ?? 'Unknown';
  if (ready === 'False') return 'not-ready';
  return ready === 'Unknown' || isTrue(conditions, 'Reconciling') ? 'reconciling' : 'ready';
}

export function marksOf(object: ObjectView): readonly Mark[] {
  const drifted = (object.memory.drift?.fields.length ?? 0) > 0;
  const held = { drifted, suspended: object.suspended, deleting: object.deleting };
  return marks.filter((mark) => held[mark]);
}

const attention = ['Stalled', 'Reconciling'] as const;

/** What a person should read first: of the condition that makes its state, with its message. */
export function headline({ memory: { conditions } }: ObjectView): {
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
