// The port that both sources implement: declarations in, memory out. Keys are all that a source tells by itself.
import type { Output, Published } from './output.ts';
import type { Memory, Stored } from './resource.ts';
import type { Json, Secret } from './secret.ts';

/** An object with what is remembered of it. */
export interface Entry {
  readonly object: Stored;
  readonly memory: Memory<Json>;
}

/** What a source tells: look at this again, and how urgently a person waits for it. */
export type Notify = (key: string, cause: 'listed' | 'edited' | 'requested' | 'secret') => void;

export interface Source {
  /**
   * Starts watching and resolves once everything declared is listed. Secrets are told as `Secret/<namespace>/<name>`.
   */
  start(notify: Notify): Promise<void>;
  stop(): Promise<void>;
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
  hold(key: string, uid: string, memory?: Memory<Json>): Promise<void>;
  /** The first effect was refused: nothing of ours is there. */
  unhold(key: string, uid: string): Promise<void>;
  /** @throws ConflictError when the object with this UID is no longer there. */
  remember(key: string, uid: string, memory: Memory<Json>): Promise<void>;
  /** What stands where an object's output of that name goes, from the place itself; cheap. `undefined`: can't be told. */
  published(key: string, uid: string, name: string): Published | undefined;
  /** Writes an object's output, whole or not at all. @throws ApiError where that can't be done */
  publish(key: string, uid: string, output: Output): Promise<void>;
  /** Takes an object's output away; what is not there or not its own stays as it is. @throws ApiError */
  withdraw(key: string, uid: string, name: string): Promise<void>;

  /** The object leaves. `removed`: its external object was removed on purpose. */
  release(key: string, uid: string, removed: boolean): Promise<void>;

  /** Whether a person approved that this object leaves. */
  approved(key: string): boolean;
  /** How many unapproved objects of this connection were released since then (milliseconds since 1970). */
  releasedSince(connection: string, sinceMs: number): number;
}
