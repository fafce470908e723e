// What is to be done, as data. Printed by `plan`, executed by the reconciler, stored nowhere.
import type { Json } from './secret.ts';
import type { Output } from './output.ts';
import type { ExternalRef, Intent } from './resource.ts';

export type Verb = 'create' | 'adopt' | 'revive' | 'update' | 'replace' | 'detach' | 'delete' | 'act';

export interface FieldChange {
  /** JSON pointer into the spec. */
  readonly path: string;
  /** Public form. Absent: the field was let go. */
  readonly desired?: Json;
  /** Absent: not there, or not readable. */
  readonly live?: Json;
  /** edit: the declaration moved. drift: the world did. */
  readonly cause: 'edit' | 'drift';
}

export interface Step<E> {
  readonly verb: Verb;
  readonly summary: string;
  readonly changes: readonly FieldChange[];
  /** Absent: nothing outside changes, only what is remembered (adopting what is already right). */
  readonly effect?: E;
  /** Written by the source, in place of an effect. */
  readonly publish?: Output;
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
  /** The kind's own memory after it. Absent: as the kind records it. */
  readonly own?: Json;
  /** Requests that it answers: name → token. */
  readonly handled?: Readonly<Record<string, string>>;
}

/** A step that is known but whose request is not yet: it depends on an earlier reply. Shown, not executed. */
export type Later = Pick<Step<never>, 'verb' | 'summary' | 'changes'>;

/** What makes a waiting object worth looking at again. Every wait has a timer behind it besides. */
export type Wake =
  | { readonly on: 'object' }
  /** @param also external objects besides its own whose changes may end the wait */
  | { readonly on: 'live'; readonly also?: readonly ExternalRef[] }
  | { readonly on: 'approval' }
  | { readonly on: 'edit' }
  | { readonly on: 'time'; readonly atMs: number };

export interface InSync {
  readonly verdict: 'in-sync';
  /** Differences that the policy reports rather than writes. */
  readonly drift: readonly FieldChange[];
  /** Present when the object is ours: memory follows from what is seen, not only from what was done. */
  readonly applied?: Readonly<Record<string, Json>>;
  /** Look again after this long, where nothing tells of changes. */
  readonly revisitMs?: number;
  /** Something is due then: looked at neither earlier nor later. Milliseconds from now. */
  readonly dueMs?: number;
}

export interface Blocked {
  readonly verdict: 'blocked';
  /** CamelCase, for conditions. */
  readonly reason: string;
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
}

export type Plan<E> = InSync | Blocked | Change<E> | Gone;

export const blocked = (
  reason: string,
  message: string,
  wake: Wake,
  changes: readonly FieldChange[] = [],
): Blocked => ({ verdict: 'blocked', reason, message, wake, changes });

export const gone = (because: string, removed: boolean): Gone => ({ verdict: 'gone', because, removed });
