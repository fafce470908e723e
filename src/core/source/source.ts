// The port of a source of desired state: declarations in, keys told; one handle per object and visit, through which
// everything is written. test/sources/contract.ts says what each source has to keep.
import type { SourceEffect, Workload } from '../effect.ts';
import type { Outcome } from '../errors.ts';
import type { Problem } from '../problem.ts';
import type { Published } from './output.ts';
import type { DeclaredObject } from '../resource.ts';
import type { Secret } from '../secret.ts';
import type { Status } from '../status/status.ts';

/** An object with its status. */
export interface Entry {
  /** `spec` stays the same value for as long as UID and generation do: kinds parse it once (core/kind.ts). */
  readonly object: DeclaredObject;
  readonly status: Status;
}

/** One entry of a Secret. pending: it is not known yet; the source tells of the Secret once it is. */
export type SecretEntry =
  | { readonly is: 'there'; readonly secret: Secret }
  | { readonly is: 'missing' }
  | { readonly is: 'pending' };

/** What is declared, as the source knows it now. It may be behind; whoever acts opens a handle. */
export interface Declarations {
  /** Every key, those of deleting objects included. */
  keys(): Iterable<string>;
  /** Cheap. */
  read(key: string): Entry | undefined;
  /** @throws ApiError when it can't be read */
  secret(namespace: string, name: string, entry: string): Promise<SecretEntry>;
  /**
   * Asks whether a workload could be restarted now, by all but doing it. Absent: there are none where this source is.
   * @throws ApiError when it could not
   */
  tryRestart?(namespace: string, workload: Workload): Promise<void>;
}

/** What a source tells: reconcile this again, and how urgently a person waits for it. Secrets: `Secret/<namespace>/<name>`. */
export type Notify = (key: string, cause: 'listed' | 'edited' | 'requested' | 'secret') => void;

export interface Source extends Declarations {
  /** Starts watching and resolves once everything declared is listed. */
  start(notify: Notify): Promise<void>;
  stop(): Promise<void>;
  /** @returns `undefined` when there is no such object, or nothing may be done for it yet */
  open(key: string): Handle | undefined;
  /** @throws ApiError when this process may no longer act for the source: somebody else may by now. The gate asks it. */
  fence(): void;
}

/**
 * One object for one visit. It knows UID and generation that the visit began with, and what it wrote last: after a write it
 * shows that. Every write is refused once another object has the key.
 */
export interface Handle {
  readonly object: DeclaredObject;
  readonly status: Status;
  /**
   * Reads the declaration itself once more, right before something is destroyed.
   * @throws ConflictError unless it is as this visit believes: same UID and generation, deleting or not, same requests, and
   * its status is the one that this handle knows. ApiError: not known
   */
  confirm(): Promise<void>;
  /**
   * Marks the object as held: from now on what is found outside is ours. Resolves when that survives a crash.
   * @param intent the status with the intent of the first effect, where it has one: both are written as one
   * @throws ConflictError
   */
  hold(intent?: Status): Promise<void>;
  /** The first effect was refused: nothing of ours is there. @throws ConflictError */
  unhold(): Promise<void>;
  /**
   * Resolves when it survives a crash.
   * @throws ConflictError, `stale` when somebody wrote another status since this handle was opened
   */
  writeStatus(status: Status, options?: WriteOptions): Promise<void>;
  /**
   * Lets the object go: the source forgets it.
   * @throws ConflictError when it is declared again, and nothing was removed
   */
  release(how: Release): Promise<void>;
  /** What stands where the object's output of that name goes; `undefined`: not known. @throws ApiError */
  published(name: string): Promise<Published | undefined>;
  /** As a service performs its calls: it never throws for what became of the effect. */
  perform(effect: SourceEffect): Promise<Outcome>;
}

export interface WriteOptions {
  /** The external object is about to be replaced: that counts against the deletion limits, from now on if it did before. */
  readonly departs?: 'first' | 'again' | undefined;
}

export interface Release {
  /** The external object was removed on purpose. */
  readonly removed: boolean;
  /** Another declaration has it now. */
  readonly moved?: true;
  /** It counts against no deletion limit. */
  readonly uncounted?: boolean;
}

/**
 * Of a source whose declarations change one by one: whether they are known as a whole. Absent for one that lists and
 * watches: it is once it has started.
 */
export interface Sync {
  /** All declarations are known, and none has changed for a while. */
  hasSynced(): boolean;
  /** What of them can't be used, as last seen. */
  problems(): readonly Problem[];
  /** Resolves when all declarations are taken over, deletions included. */
  waitForSync(): Promise<void>;
}
