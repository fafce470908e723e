// The source of desired state that reads manifests from a directory. Declarations and statuses survive in the state.
// Secrets are never stored: once its manifest is gone, a Secret is missing, for objects that are being deleted, too.
import { UsageError } from '../../core/errors.ts';
import type { Key } from '../../core/resource.ts';
import type { Problem } from '../../core/text/problem.ts';
import type { Entry, Handle, Notify, SecretEntry, Source, Sync } from '../../core/source/source.ts';
import { Children } from './children.ts';
import { DirectoryHandle, type HandleParts } from './handle.ts';
import { Ingest, type IngestOptions } from './ingest.ts';
import type { Outputs } from './outputs.ts';
import { SecretBoxes } from './secrets/boxes.ts';
import { entryOf, type RecentDeletion, type Keep } from './state/row.ts';
import type { State } from './state/state.ts';

export interface DirectorySourceOptions extends IngestOptions {
  /** keyText of the connection through which an object is reached; `undefined` for connections themselves. */
  readonly connectionOf: (key: Key) => string | undefined;
  /** Absent: outputs can't be published. */
  readonly outputs?: Outputs;
}

/** The caller owns the state: it opens it before and closes it after. */
export class DirectorySource implements Source, Sync {
  readonly #options: DirectorySourceOptions;
  readonly #state: State;
  readonly #secrets: SecretBoxes;
  readonly #ingest: Ingest;
  readonly #parts: HandleParts;
  #notify: Notify | undefined;

  constructor(options: DirectorySourceOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#secrets = new SecretBoxes(options.state.versionOf);
    this.#ingest = new Ingest(options, this.#secrets, (key, cause) => this.#notify?.(key, cause));
    this.#parts = {
      state: options.state,
      ingest: this.#ingest,
      read: (key) => this.read(key),
      deletionOf: (key) => this.#deletionOf(key),
      children: new Children(options, (key) => this.#notify?.(key, 'edited')),
      ...(options.outputs && { outputs: options.outputs }),
    };
  }

  /** @throws UsageError when the tree belongs to another installation than the state. */
  async start(notify: Notify): Promise<void> {
    await this.#ingest.start();
    this.#notify = notify;
    for (const key of this.keys()) notify(key, 'listed');
  }

  stop(): Promise<void> {
    return this.#ingest.stop();
  }

  /** Resolves even if the tree has problems. */
  waitForSync(): Promise<void> {
    return this.#ingest.settled();
  }

  hasSynced(): boolean {
    return this.#ingest.steady;
  }

  fence(): void {
    this.#state.fence();
  }

  keys(): Iterable<string> {
    return this.#state.rows.keys();
  }

  read(key: string): Entry | undefined {
    const row = this.#state.rows.get(key);
    return (
      row &&
      entryOf(row, {
        onceRequests: this.#state.onceRequests,
        problem: this.#ingest.problemOf(key)?.error,
        heldBack: this.#ingest.heldBack(key),
        distrusted: this.#state.distrusted !== undefined,
      })
    );
  }

  /** @returns `undefined` also while the manifest is gone and it is undecided whether the object is deleted */
  open(key: string): Handle | undefined {
    const entry = this.read(key);
    if (!entry || this.#ingest.undecided(key)) return undefined;
    return new DirectoryHandle(key, entry, this.#parts);
  }

  async secret(namespace: string, name: string, entry: string): Promise<SecretEntry> {
    return this.#secrets.get(namespace, name, entry);
  }

  /** The problems of the last scan. */
  problems(): readonly Problem[] {
    return this.#ingest.problems;
  }

  /**
   * Approves a distrusted state.
   * @returns false: the digest is unknown
   * @throws UsageError if part of the tree can't be read: its requests would be carried out again once it can
   */
  async trust(digest: string, keep: Keep): Promise<boolean> {
    if (this.#state.distrusted?.digest !== digest) return false;
    const [problem] = (await this.#ingest.scan()).problems;
    if (problem) {
      throw new UsageError(
        `not all of the tree can be read (${problem.origin}: ${problem.message}), so nobody knows what it asks for: ` +
          'mend that first, then approve',
      );
    }
    const trusted = await this.#state.trust(digest, keep);
    for (const key of this.keys()) this.#notify?.(key, 'requested');
    return trusted;
  }

  /** Approves what waits under this digest. @returns the keys of the objects concerned */
  async approve(digest: string): Promise<readonly string[]> {
    const keys = await this.#state.approve(digest);
    for (const key of keys) this.#notify?.(key, 'requested');
    return keys;
  }

  /**
   * Sets a request or a suspension on top of the manifest.
   * @param token `undefined` withdraws it
   * @param asker the person, and the time
   * @throws UsageError if the object does not exist, or this can't be a request
   */
  async overlay(key: string, name: string, token: string | undefined, asker?: string): Promise<void> {
    await this.#state.overlay(key, name, token, asker);
    this.#notify?.(key, 'requested');
  }

  #deletionOf(key: Key): RecentDeletion | undefined {
    const connection = this.#options.connectionOf(key);
    return connection === undefined ? undefined : { connection, atMs: this.#options.clock.nowMs() };
  }
}
