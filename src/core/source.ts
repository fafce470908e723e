// The port that both sources implement: declarations in, memory out. Keys are all that a source tells by itself.
import type { Status } from './status.ts';
import type { Output, Published } from './output.ts';
import type { DeclaredObject } from './resource.ts';
import type { Secret } from './secret.ts';

/** An object with what is remembered of it. */
export interface Entry {
  readonly object: DeclaredObject;
  readonly memory: Status;
}

/** What a source tells: look at this again, and how urgently a person waits for it. */
export type Notify = (key: string, cause: 'listed' | 'edited' | 'requested' | 'secret') => void;

/** What is remembered is not what was written here last: an earlier state was restored, or one brought from elsewhere. */
export interface Distrust {
  /** A person approves it. */
  readonly digest: string;
  /** For people: what was noticed, what is held back, how to go on. */
  readonly message: string;
}

export interface Source {
  /**
   * Starts watching and resolves once everything declared is listed. Secrets are told as `Secret/<namespace>/<name>`.
   */
  start(notify: Notify): Promise<void>;
  stop(): Promise<void>;
  /** Nothing declared has changed for a while: what is declared now is meant as a whole. */
  steady(): boolean;
  /** Resolves when what is declared now has been taken over, removals included. Problems don't hold it up. */
  settled(): Promise<void>;

  /** The current entry, from the source's own view; cheap. */
  read(key: string): Entry | undefined;
  /** Every key the source holds, leaving ones included. */
  keys(): Iterable<string>;
  /** The value of one entry of a declared Secret; `undefined` where there is none. */
  secret(namespace: string, name: string, entry: string): Secret | undefined;

  /**
   * Looks at the declaration itself once more, right before something is destroyed.
   * @throws ConflictError unless it is as this visit believes: same UID and generation, leaving or not.
   */
  confirm(key: string, uid: string, generation: number, leaving: boolean): Promise<void>;

  /**
   * From now on what is found there is ours. Resolves when that survives a crash.
   * @param memory with the intent of the first effect, where it has one: both are written as one
   */
  hold(key: string, uid: string, memory?: Status): Promise<void>;
  /** The first effect was refused: nothing of ours is there. */
  unhold(key: string, uid: string): Promise<void>;
  /**
   * @param departs its external object is about to be replaced: that counts against the deletion limits
   * @throws ConflictError when the object with this UID is no longer there.
   */
  remember(key: string, uid: string, memory: Status, departs?: boolean): Promise<void>;
  /** What stands where an object's output of that name goes, from the place itself; cheap. `undefined`: can't be told. */
  published(key: string, uid: string, name: string): Published | undefined;
  /** Asks whether an object's output could be written now, by writing as much where it goes. @throws ApiError where not */
  tryPublish(key: string, uid: string, name: string): Promise<void>;
  /** Writes an object's output, whole or not at all. @throws ApiError where that can't be done */
  publish(key: string, uid: string, output: Output): Promise<void>;
  /** Takes an object's output away; what is not there or not its own stays as it is. @throws ApiError */
  withdraw(key: string, uid: string, name: string): Promise<void>;

  /** The object leaves. `removed`: its external object was removed on purpose. `moved`: another declaration has it. */
  release(key: string, uid: string, how: { readonly removed: boolean; readonly moved?: true }): Promise<void>;

  /** ID of the going that a person approved for this object (deletion-limits.ts); `undefined`: none. */
  approved(key: string): string | undefined;
  /** Keys of the objects of this connection that left, or were replaced, unapproved within the last hour. */
  departed(connection: string): readonly string[];
  /** Set: nothing may be destroyed until a person approves. Requests of before are not shown meanwhile. */
  distrusted(): Distrust | undefined;
}
