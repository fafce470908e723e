// The port of a source of desired state, such as a directory or a Kubernetes cluster. The source notifies of keys; a visit
// opens one handle per object and writes through it alone. test/sources/contract.ts tests what every source guarantees.
import type { SourceEffect, Workload } from '../effect.ts';
import type { Outcome } from '../errors.ts';
import type { Problem } from '../text/problem.ts';
import type { Published } from './output.ts';
import type { DeclaredObject } from '../resource.ts';
import type { Secret } from '../secret.ts';
import type { Status } from '../status/status.ts';

export interface Entry {
  /** `spec` is the same value as long as UID and generation are: kinds cache its parsed form (core/kind/kind.ts). */
  readonly object: DeclaredObject;
  readonly status: Status;
}

/**
 * One entry of a Secret. pending: not read yet; the source notifies once it is. `holder`: whether the Secret itself is there;
 * absent if the source does not tell.
 */
export type SecretEntry =
  | { readonly is: 'there'; readonly secret: Secret }
  | { readonly is: 'missing'; readonly holder?: 'there' | 'missing' }
  | { readonly is: 'pending' };

/** The declarations as the source currently caches them. The cache may be behind; to act on an object, open a handle. */
export interface Declarations {
  /** All keys, including those of objects that are being deleted. */
  keys(): Iterable<string>;
  /** Synchronous and cheap. */
  read(key: string): Entry | undefined;
  /** @throws ApiError if the Secret can't be read */
  secret(namespace: string, name: string, entry: string): Promise<SecretEntry>;
  /**
   * Tests whether a workload could be restarted now, without doing it. Absent: the source has no workloads.
   * @throws ApiError if it could not
   */
  tryRestart?(namespace: string, workload: Workload): Promise<void>;
}

/** Asks for a reconcile. The cause sets its urgency. The key of a Secret is `Secret/<namespace>/<name>`. */
export type Notify = (key: string, cause: 'listed' | 'edited' | 'requested' | 'secret') => void;

export interface Source extends Declarations {
  /** Starts watching. Resolves once all declarations are listed. */
  start(notify: Notify): Promise<void>;
  stop(): Promise<void>;
  /** @returns `undefined` if the object does not exist, or the source does not allow work on it yet */
  open(key: string): Handle | undefined;
  /**
   * Called by the gate before each effect, and again right before the effect leaves the process.
   * @returns the term in which this process acts: another process may have acted before it. Nothing: there is only one
   * @throws ApiError if this process may no longer act for the source, because another one may have taken over
   */
  fence(): unknown;
}

/**
 * One object during one visit. The handle keeps the UID and generation with which the visit began, and shows the visit's
 * own writes. Every write is refused once another object has the key.
 */
export interface Handle {
  readonly object: DeclaredObject;
  readonly status: Status;
  /**
   * Reads the declaration again, right before something is destroyed.
   * @param destroys what others declared before the deletion mark, or before the last write of an object without one, has to
   * be known, too, and its connection as it is now
   * @throws ConflictError unless UID, generation, deletion mark, requests and status are those that this handle knows
   * @throws ApiError if it can't be read
   */
  confirm(destroys?: boolean): Promise<void>;
  /**
   * Adds the finalizer, so that the object is not forgotten before it is released. Resolves when that survives a crash.
   * @param intent the status with the intent of the first effect, if it has one: both are written at once
   * @throws ConflictError
   */
  hold(intent?: Status): Promise<void>;
  /** Removes the finalizer, after the first effect was rejected: nothing outside is ours. @throws ConflictError */
  unhold(): Promise<void>;
  /**
   * Keeps an object that is only observed until it is released, though nothing outside is ours: others may use it. Does nothing
   * if it is kept already. @throws ConflictError
   */
  protect(): Promise<void>;
  /**
   * Resolves when the status survives a crash.
   * @throws ConflictError, `stale` if another status was written since this handle was opened
   */
  writeStatus(status: Status, options?: WriteOptions): Promise<void>;
  /**
   * Removes our finalizers for good; the source then forgets the object.
   * @returns the finalizers of other controllers, which keep it nevertheless
   * @throws ConflictError if it is declared again, and its external object was not removed
   */
  release(how: Release): Promise<readonly string[]>;
  /** State of the object's output of that name; `undefined`: unknown. @throws ApiError */
  published(name: string): Promise<Published | undefined>;
  /** Performs an effect of the source. Reports a failure as an outcome, as services do; never throws for it. */
  perform(effect: SourceEffect): Promise<Outcome>;
}

export interface WriteOptions {
  /**
   * The external object is about to be replaced. `first` counts the replacement towards the deletion limits; `again` renews
   * the time from which it counts.
   */
  readonly recordDeletion?: 'first' | 'again' | undefined;
}

export interface Release {
  readonly removed: boolean;
  readonly moved?: true;
  readonly exempt?: boolean;
}

/**
 * Tells whether a change of the declarations is complete, for a source that learns of it piece by piece: the files of a
 * directory, or the deletions in a cluster. Absent: the declarations are complete once the source has started.
 */
export interface Sync {
  /** Whether all declarations are known and none has changed for a while. */
  hasSynced(): boolean;
  /** When that is so at the latest, monotonic; `undefined`, or absent: that is not known. */
  syncedByMs?(): number | undefined;
  /** Which declarations can't be known now. Absent: all that can't are in `problems`. */
  unknown?(): string | undefined;
  /** Problems found by the last read of the declarations. */
  problems(): readonly Problem[];
  /** Resolves when all declarations have been taken over, including deletions. */
  waitForSync(): Promise<void>;
}
