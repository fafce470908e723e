// A plan, as data: `holdfast plan` prints it and the reconciler executes its first step. Plans are not stored; a saved plan
// holds digests of them (saved-plan.ts).
import type { FieldChange, Intent } from '../status/status.ts';
import type { Json } from '../secret.ts';
import type { SourceEffect } from '../effect.ts';
import type { ExternalObject } from '../resource.ts';
import type { Reason } from '../status/reasons.ts';

export type Verb =
  | 'create'
  | 'adopt'
  | 'revive'
  | 'update'
  | 'replace'
  | 'detach'
  | 'delete'
  /** Destroys what an earlier deletion or replacement let go of. */
  | 'destroy'
  | 'act';

/**
 * What a step destroys, or begins to destroy. registration: the service forgets the object; nothing else is lost. data: the
 * object's data is lost. credential: the password is lost for good.
 */
export type Destroys = 'registration' | 'data' | 'credential';

export interface Step<E> {
  readonly verb: Verb;
  readonly summary: string;
  readonly changes: readonly FieldChange[];
  /** Absent: nothing. Every step that destroys something passes controller/reconcile/destruction.ts. */
  readonly destroys?: Destroys;
  /** Name of the data that the step destroys or takes over, independent of service and address. */
  readonly data?: string;
  /** Names of data that is of no use to others any more who name it. The step is not made while there are any. */
  readonly locksOut?: readonly string[];
  /** For the service, or for the source (`port: 'source'`). Absent: only the status changes. */
  readonly effect?: E | SourceEffect;
  /** Name of the output that the step outdates. The step is not made unless that output can be written. */
  readonly trial?: string;
  /** Field of the reference to the connection that performs the effect. Absent: the object's own connection. */
  readonly via?: string;
  /** Recorded before the effect, where observing can't tell its result. */
  readonly intent?: Intent;
  /** A step that was rejected for this reason is no failure: the intent is then done. */
  readonly rejection?: { readonly reason: Reason; readonly proves: Intent };
  /** The step closes what an earlier one opened, so suspension does not hold it back. */
  readonly closes?: true;
  /** Names of what the step opens (core/kind/kind.ts, `open`). It waits while another object has one of them open. */
  readonly opens?: readonly string[];
  /** Names of what the step would disturb while another object has it open. It waits, but not beyond the deadline of that. */
  readonly disturbs?: readonly string[];
  /** Name under which attempts are counted in `tries`, like a field. */
  readonly attempt?: string;
  /** Recorded after the step: the public form of every managed field. */
  readonly applied?: Readonly<Record<string, Json>>;
  /** Recorded after the step: fields that stay as they were (kept.ts). */
  readonly kept?: Readonly<Record<string, Json>>;
  /** Fields whose value is unknown if the response is lost. */
  readonly unsure?: readonly string[];
  /** Identity of the external object, once it is proven to be ours. Recorded with the intent. */
  readonly identity?: string;
  /** The kind's own status, recorded with the intent: it survives a lost response and a crash. */
  readonly noted?: Json;
  /** The kind's own status after the step. Absent: `Kind.record` provides it. */
  readonly own?: Json;
  readonly handledRequests?: Readonly<Record<string, string>>;
  /** Children that the object lets expire with this step and later ones. The deletion limits judge them as one set. */
  readonly expires?: readonly Expiring[];
  /** Milliseconds until other work of the object is due, in case the step must wait. */
  readonly dueMs?: number;
  /** The same, in case it fails. Absent: the next visit comes when the failure may be over. */
  readonly retryMs?: number;
}

export interface Expiring {
  readonly key: string;
  /** RFC 3339, in UTC. An approval of one expiry covers the older ones. */
  readonly at: string;
}

/** A step after the first. Its effect is not known yet, so it is shown and not executed. */
export type Later = Pick<Step<never>, 'verb' | 'summary' | 'changes' | 'destroys'>;

/** What ends a wait. Each wait also ends by a timer. */
export type Wake =
  | { readonly on: 'object' }
  /** @param also other external objects whose changes may end the wait */
  | { readonly on: 'live'; readonly also?: readonly ExternalObject[] }
  /** @param digest to approve @param id of the deletion that waits (deletion-limits.ts) */
  | { readonly on: 'approval'; readonly digest: string; readonly id?: string }
  | { readonly on: 'edit' }
  /** @param atMs on the monotonic clock, see Clock.nowMs */
  | { readonly on: 'time'; readonly atMs: number };

export interface InSync {
  readonly verdict: 'in-sync';
  /** Differences that the policy reports and does not write. */
  readonly drift: readonly FieldChange[];
  /** Present if the object is ours. */
  readonly applied?: Readonly<Record<string, Json>>;
  /** Fields that stay as they were (kept.ts). Absent: none. */
  readonly kept?: Readonly<Record<string, Json>>;
  /** Present if the object is proven to be ours. */
  readonly identity?: string;
  /** The service can't report the object's state; as far as is known, it is as last written. */
  readonly unverified?: true;
  /** Milliseconds until the next observation, for services that do not report changes. */
  readonly revisitMs?: number;
  /** Milliseconds until work is due: neither earlier nor later. */
  readonly dueMs?: number;
  /** Upcoming events that need no action, for people. */
  readonly coming?: readonly string[];
}

export interface Blocked {
  readonly verdict: 'blocked';
  readonly reason: Reason;
  readonly message: string;
  /** Only a person can help: the object is Stalled. */
  readonly stalls?: true;
  /** The object waits for others to be made from it and stays Ready for them. */
  readonly serves?: true;
  /** Every field was found as declared, so writes of them are counted afresh. */
  readonly converged?: true;
  readonly wake: Wake;
  /** It waits for something else first, but belongs to a set that waits for this approval. */
  readonly awaits?: { readonly digest: string; readonly id: string };
  readonly changes: readonly FieldChange[];
  /** Milliseconds until other work of the object is due, whatever it waits for. */
  readonly dueMs?: number;
}

export interface Change<E> {
  readonly verdict: 'change';
  /** Only the first step is executed; then the object is observed and planned again. */
  readonly steps: readonly [Step<E>, ...Later[]];
}

export interface Gone {
  readonly verdict: 'gone';
  /** Why nothing is left to do, for people. */
  readonly because: string;
  readonly removed: boolean;
  readonly moved?: true;
  /** Identity of what is there and is not what was recorded. */
  readonly foreign?: string;
}

export type Plan<E> = InSync | Blocked | Change<E> | Gone;

export const blocked = (
  reason: Reason,
  message: string,
  wake: Wake,
  changes: readonly FieldChange[] = [],
): Blocked => ({ verdict: 'blocked', reason, message, wake, changes });

export const stalled = (...why: Parameters<typeof blocked>): Blocked => ({
  ...blocked(...why),
  stalls: true,
});

export const gone = (because: string, removed = false): Gone => ({ verdict: 'gone', because, removed });
