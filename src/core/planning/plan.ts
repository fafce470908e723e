// A plan, as data: `plan` prints it, the reconciler makes its first step, and nobody stores it: of a saved
// plan, digests are (saved-plan.ts).
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
 * What a step destroys, or begins to destroy. registration: the service forgets the object and nothing else is lost.
 * data: the object's data is lost. credential: nobody knows the password any more.
 */
export type Destroys = 'registration' | 'data' | 'credential';

export interface Step<E> {
  readonly verb: Verb;
  readonly summary: string;
  readonly changes: readonly FieldChange[];
  /** Absent: nothing. Every step that destroys something passes controller/reconcile/destruction.ts. */
  readonly destroys?: Destroys;
  /** Names the data that it destroys or takes over, independent of service and address. */
  readonly data?: string;
  /** Through the service, or the source (`port: 'source'`). Absent: only the status changes. */
  readonly effect?: E | SourceEffect;
  /** The step outdates the output of this name. It is not made unless that output can be written. */
  readonly trial?: string;
  /** Field of the reference to the connection that performs the effect. Absent: the object's own. */
  readonly via?: string;
  /** Recorded before the effect, where reading can't tell its result. */
  readonly intent?: Intent;
  /** It closes what an earlier step opened, so suspension does not stop it. */
  readonly closes?: true;
  /** Names of what it opens (core/kind.ts, `open`): it waits while another object has one of them open. */
  readonly opens?: readonly string[];
  /** Counted in `tries`, like a field. */
  readonly attempt?: string;
  /** Recorded after the step: the public form of every managed field. */
  readonly applied?: Readonly<Record<string, Json>>;
  /** Recorded after the step: fields that stay as they were (kept.ts). */
  readonly kept?: Readonly<Record<string, Json>>;
  /** Fields whose value is unknown if the response is lost. */
  readonly unsure?: readonly string[];
  /** Of the external object, where it is proven to be ours. Recorded with the intent. */
  readonly identity?: string;
  /** The kind's own status, recorded with the intent: it survives a lost response and a crash. */
  readonly noted?: Json;
  /** The kind's own status after the step. Absent: the kind records it. */
  readonly own?: Json;
  /** Requests that the step answers: name → token. */
  readonly handledRequests?: Readonly<Record<string, string>>;
  /** Children that its object lets go by rule, this step's and those of later ones: they are judged as a whole. */
  readonly expires?: readonly Expiring[];
  /** Milliseconds until something else of the object is due, should the step have to wait. */
  readonly dueMs?: number;
}

export interface Expiring {
  /** keyText */
  readonly key: string;
  /** RFC 3339, in UTC: whoever approves one approves the older ones. */
  readonly at: string;
}

/** A step that follows. Its effect is not known yet, so it is shown and not made. */
export type Later = Pick<Step<never>, 'verb' | 'summary' | 'changes' | 'destroys'>;

/** What ends a wait. A timer stands behind each. */
export type Wake =
  | { readonly on: 'object' }
  /** @param also other external objects whose changes may end the wait */
  | { readonly on: 'live'; readonly also?: readonly ExternalObject[] }
  /** @param digest what a person approves @param id of the deletion that waits (deletion-limits.ts) */
  | { readonly on: 'approval'; readonly digest: string; readonly id?: string }
  | { readonly on: 'edit' }
  /** @param atMs monotonic, see Clock.nowMs */
  | { readonly on: 'time'; readonly atMs: number };

export interface InSync {
  readonly verdict: 'in-sync';
  /** Differences that the policy reports and does not write. */
  readonly drift: readonly FieldChange[];
  /** Present when the object is ours. */
  readonly applied?: Readonly<Record<string, Json>>;
  /** Fields that stay as they were (kept.ts). Absent: none. */
  readonly kept?: Readonly<Record<string, Json>>;
  /** Present when the object is proven to be ours. */
  readonly identity?: string;
  /** The service can't tell what it has: as far as is known, it is as last written. */
  readonly unverified?: true;
  /** Nobody reports changes: look again after this long. */
  readonly revisitMs?: number;
  /** Milliseconds until something is due, neither earlier nor later. */
  readonly dueMs?: number;
  /** What comes by itself, for people. */
  readonly coming?: readonly string[];
}

export interface Blocked {
  readonly verdict: 'blocked';
  readonly reason: Reason;
  readonly message: string;
  /** Only a person can help: the object is Stalled. */
  readonly stalls?: true;
  readonly wake: Wake;
  /** Changes that are held back. */
  readonly changes: readonly FieldChange[];
  /** Milliseconds until something else of the object is due, whatever it waits for. */
  readonly dueMs?: number;
}

export interface Change<E> {
  readonly verdict: 'change';
  /** Only the first is made; then the object is read and planned again. */
  readonly steps: readonly [Step<E>, ...Later[]];
}

export interface Gone {
  readonly verdict: 'gone';
  /** Why nothing is left to do, for people. */
  readonly because: string;
  /** The external object was removed on purpose. */
  readonly removed: boolean;
  /** Another object has taken over the external object. */
  readonly moved?: true;
}

export type Plan<E> = InSync | Blocked | Change<E> | Gone;

export const blocked = (
  reason: Reason,
  message: string,
  wake: Wake,
  changes: readonly FieldChange[] = [],
): Blocked => ({ verdict: 'blocked', reason, message, wake, changes });

/** Blocked until a person acts. */
export const stalled = (...why: Parameters<typeof blocked>): Blocked => ({
  ...blocked(...why),
  stalls: true,
});

export const gone = (because: string, removed: boolean): Gone => ({ verdict: 'gone', because, removed });
