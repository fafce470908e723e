// What is to be done, as data. Printed by `plan`, executed by the reconciler, stored nowhere.
import type { FieldChange, Intent } from '../status.ts';
import type { Json } from '../secret.ts';
import type { Output } from '../output.ts';
import type { ExternalRef } from '../resource.ts';
import type { Reason } from '../reasons.ts';

export type Verb =
  | 'create'
  | 'adopt'
  | 'revive'
  | 'update'
  | 'replace'
  | 'detach'
  | 'delete'
  /** Of what was let go of before: it ends what a deletion or a replacement began. */
  | 'destroy'
  | 'act';

/**
 * What a step destroys, or begins to destroy. registration: the service forgets the object, what it stood for stays. data:
 * what it stood for goes, too. credential: nobody knows a password any more.
 */
export type Destroys = 'registration' | 'data' | 'credential';

export interface Step<E> {
  readonly verb: Verb;
  readonly summary: string;
  readonly changes: readonly FieldChange[];
  /** Absent: nothing. What destroys passes one door, whatever its verb (controller/reconcile/destruction.ts). */
  readonly destroys?: Destroys;
  /** Names the data that it destroys, or takes over, the same through whatever service and address. */
  readonly data?: string;
  /** Absent: nothing outside changes, only what is remembered (adopting what is already right). */
  readonly effect?: E;
  /** Written by the source, in place of an effect. */
  readonly publish?: Output;
  /** What is published under this name is out of date once it is made: not made unless that could be written now. */
  readonly trial?: string;
  /** Pointer of the reference to the connection that the effect goes through. Absent: the object's own. */
  readonly via?: string;
  /** Recorded before the effect, where its result can't be told by looking. */
  readonly intent?: Intent;
  /** Counted in `tries` besides the fields. */
  readonly attempt?: string;
  /** Remembered after it: the public form of every managed field. */
  readonly applied?: Readonly<Record<string, Json>>;
  /** Fields that it writes and nothing shows: should its answer get lost, what they are is not known any more. */
  readonly unsure?: readonly string[];
  /** Of the external object that it is about, where that is proven to be ours: recorded with the step's intent. */
  readonly identity?: string;
  /** The kind's own memory from before it on, recorded with its intent: no lost answer and no crash loses it. */
  readonly noted?: Json;
  /** The kind's own memory after it. Absent: as the kind records it. */
  readonly own?: Json;
  /** Requests that it answers: name → token. */
  readonly handledRequests?: Readonly<Record<string, string>>;
}

/** A step that is known but whose request is not yet: it depends on an earlier reply. Shown, not executed. */
export type Later = Pick<Step<never>, 'verb' | 'summary' | 'changes' | 'destroys'>;

/** What makes a waiting object worth looking at again. Every wait has a timer behind it besides. */
export type Wake =
  | { readonly on: 'object' }
  /** @param also external objects besides its own whose changes may end the wait */
  | { readonly on: 'live'; readonly also?: readonly ExternalRef[] }
  /** @param id of the going that waits (deletion-limits.ts); absent: of something else. @param digest what a person approves */
  | { readonly on: 'approval'; readonly digest: string; readonly id?: string }
  | { readonly on: 'edit' }
  /** @param atMs monotonic, see Clock.nowMs */
  | { readonly on: 'time'; readonly atMs: number };

export interface InSync {
  readonly verdict: 'in-sync';
  /** Differences that the policy reports rather than writes. */
  readonly drift: readonly FieldChange[];
  /** Present when the object is ours: memory follows from what is seen, not only from what was done. */
  readonly applied?: Readonly<Record<string, Json>>;
  /** What tells the object that is there from the next of its name; present where it is proven to be ours. */
  readonly identity?: string;
  /** Look again after this long, where nothing tells of changes. */
  readonly revisitMs?: number;
  /** Something is due then: looked at neither earlier nor later. Milliseconds from now. */
  readonly dueMs?: number;
}

export interface Blocked {
  readonly verdict: 'blocked';
  readonly reason: Reason;
  readonly message: string;
  readonly wake: Wake;
  /** What would be done if it were not blocked. */
  readonly changes: readonly FieldChange[];
  /** Looked at again by then whatever wakes it: something else of the object is due. Milliseconds from now. */
  readonly dueMs?: number;
}

export interface Change<E> {
  readonly verdict: 'change';
  /** Only the first is executable; after it the world is looked at again. */
  readonly steps: readonly [Step<E>, ...Later[]];
}

export interface Gone {
  readonly verdict: 'gone';
  /** Why nothing is left to do, for people. */
  readonly because: string;
  /** The external object was removed on purpose: another of the same name is another one. */
  readonly removed: boolean;
  /** Another declaration has it now: nothing went. */
  readonly moved?: true;
}

export type Plan<E> = InSync | Blocked | Change<E> | Gone;

export const blocked = (
  reason: Reason,
  message: string,
  wake: Wake,
  changes: readonly FieldChange[] = [],
): Blocked => ({ verdict: 'blocked', reason, message, wake, changes });

export const gone = (because: string, removed: boolean): Gone => ({ verdict: 'gone', because, removed });
