// A directory of manifests as a source of desired state. What is declared, and the status of each object, survives in the
// state; Secrets are never stored: one whose manifest is gone is missing, also for objects that are being deleted.
import { UsageError } from '../../core/errors.ts';
import type { Key } from '../../core/resource.ts';
import type { Problem } from '../../core/problem.ts';
import type { Entry, Handle, Notify, SecretEntry, Source, Sync } from '../../core/source/source.ts';
import { Children } from './children.ts';
import { DirectoryHandle, type HandleParts } from './handle.ts';
import { Ingest, type IngestOptions } from './ingest.ts';
import type { Outputs } from './outputs.ts';
import { SecretBoxes } from './secrets/boxes.ts';
import { entryOf, type Departure, type Keep } from './state/row.ts';
import type { State } from './state/state.ts';

export interface DirectorySourceOptions extends IngestOptions {
  /** keyText of the connection through which an object is reached; `undefined` for connections themselves. */
  readonly connectionOf: (key: Key) => string | undefined;
  /** Absent: nothing can be published. */
  readonly outputs?: Outputs;
}

/** The state stays the caller's: to be opened before and closed after. */
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
      departureOf: (key) => this.#departureOf(key),
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

  /** Problems don't hold it up. */
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

  /** @returns `undefined` also while its manifest is gone and it is not decided whether it is deleted */
  open(key: string): Handle | undefined {
    const entry = this.read(key);
    if (!entry || this.#ingest.undecided(key)) return undefined;
    return new DirectoryHandle(key, entry, this.#parts);
  }

  async secret(namespace: string, name: string, entry: string): Promise<SecretEntry> {
    return this.#secrets.get(namespace, name, entry);
  }

  /** What is wrong in the tree as it was last seen. */
  problems(): readonly Problem[] {
    return this.#ingest.problems;
  }

  /**
   * Goes on from a state that is distrusted.
   * @returns false: there is no such digest.
   * @throws UsageError when not all of the tree can be read: what it asks for would be done again when it can.
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

  /** Lets go what waits under this digest. @returns the keys of the objects that it is about */
  async approve(digest: string): Promise<readonly string[]> {
    const keys = await this.#state.approve(digest);
    for (const key of keys) this.#notify?.(key, 'requested');
    return keys;
  }

  /**
   * Lays a request or a suspension over the manifest.
   * @param token `undefined` takes it back.
   * @param asker who asks, and when.
   * @throws UsageError when there is no such object, or this can't be a request.
   */
  async overlay(key: string, name: string, token: string | undefined, asker?: string): Promise<void> {
    await this.#state.overlay(key, name, token, asker);
    this.#notify?.(key, 'requested');
  }

  #departureOf(key: Key): Departure | undefined {
    const connection = this.#options.connectionOf(key);
    return connection === undefined ? undefined : { connection, atMs: this.#options.clock.nowMs() };
  }
}
