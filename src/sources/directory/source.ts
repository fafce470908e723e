// A directory of manifests as a source of desired state. What is declared and remembered survives in the state; Secrets
// are never stored: one whose manifest is gone is missing, also for objects that are still leaving.
import type { Status } from '../../core/status.ts';
import { leavingID } from '../../core/planning/deletion-limits.ts';
import { ApiError, ConflictError, UsageError } from '../../core/errors.ts';
import type { Output, Published } from '../../core/output.ts';
import type { Key } from '../../core/resource.ts';
import type { Secret } from '../../core/secret.ts';
import type { Distrust, Entry, Notify, Source } from '../../core/source.ts';
import { Ingest, type IngestOptions } from './ingest.ts';
import type { Outputs, Publisher } from './outputs.ts';
import type { Problem } from '../../core/problem.ts';
import { entryOf, owned, setHeld, type Keep, type Row } from './state/row.ts';
import { SecretBoxes } from './secrets/boxes.ts';
import type { State } from './state/state.ts';

export interface DirectorySourceOptions extends IngestOptions {
  /** keyText of the connection through which an object is reached; `undefined` for connections themselves. */
  readonly connectionOf: (key: Key) => string | undefined;
  /** Absent: nothing can be published. */
  readonly outputs?: Outputs;
}

/** The state stays the caller's: to be opened before and closed after. */
export class DirectorySource implements Source {
  readonly #options: DirectorySourceOptions;
  readonly #state: State;
  readonly #secrets: SecretBoxes;
  readonly #intake: Ingest;
  #notify: Notify | undefined;

  constructor(options: DirectorySourceOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#secrets = new SecretBoxes(options.state.versionOf);
    this.#intake = new Ingest(options, this.#secrets, (key, cause) => this.#notify?.(key, cause));
  }

  /** @throws UsageError when the tree belongs to another installation than the state. */
  async start(notify: Notify): Promise<void> {
    await this.#intake.start();
    this.#notify = notify;
    for (const key of this.keys()) notify(key, 'listed');
  }

  stop(): Promise<void> {
    return this.#intake.stop();
  }

  /** Resolves when what the tree says has been taken over, removals included. Problems don't hold it up. */
  settled(): Promise<void> {
    return this.#intake.settled();
  }

  steady(): boolean {
    return this.#intake.steady;
  }

  read(key: string): Entry | undefined {
    const row = this.#state.rows.get(key);
    return (
      row &&
      entryOf(row, {
        onceRequests: this.#state.onceRequests,
        problem: this.#intake.problemOf(key)?.error,
        undecided: this.#intake.undecided(key),
        distrusted: this.#state.distrusted !== undefined,
      })
    );
  }

  distrusted(): Distrust | undefined {
    return this.#state.distrusted;
  }

  /**
   * Goes on from a state that is distrusted.
   * @returns false: there is no such digest.
   * @throws UsageError when not all of the tree can be read: what it asks for would be done again when it can.
   */
  async trust(digest: string, keep: Keep): Promise<boolean> {
    if (this.#state.distrusted?.digest !== digest) return false;
    const [problem] = (await this.#intake.look()).problems;
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

  keys(): Iterable<string> {
    return this.#state.rows.keys();
  }

  secret(namespace: string, name: string, entry: string): Secret | undefined {
    return this.#secrets.get(namespace, name, entry);
  }

  /** What is wrong in the tree as it was last seen. */
  problems(): readonly Problem[] {
    return this.#intake.problems;
  }

  /** @throws ApiError when it can't be told what is declared. */
  async confirm(key: string, uid: string, generation: number, leaving: boolean): Promise<void> {
    const { objects, problems } = await this.#intake.look();
    const { object } = owned(this.#state.rows.get(key), key, uid);
    if (object.generation !== generation || object.deleting !== leaving) {
      throw new ConflictError(`${key} has changed`);
    }
    // A problem that names no object may hide any, this one included.
    const hiding = problems.find((problem) => problem.key === undefined);
    if (leaving ? hiding === undefined : objects.has(key)) return;
    const why = hiding ? `${hiding.origin}: ${hiding.message}` : 'it is not declared now';
    throw new ApiError('unavailable', 'DeclarationUnreadable', why);
  }

  hold(key: string, uid: string, memory?: Status): Promise<void> {
    return this.#change(key, uid, (row) => setHeld(memory ? { ...row, memory } : row, true));
  }

  unhold(key: string, uid: string): Promise<void> {
    return this.#change(key, uid, (row) => setHeld(row, false));
  }

  async remember(key: string, uid: string, memory: Status, departs = false): Promise<void> {
    await this.#state.write(key, (slot) => {
      const row = owned(slot.row, key, uid);
      if (row.memory === memory) return slot;
      const departed = departs ? this.#departure(row) : undefined;
      return { row: { ...row, memory }, ...(departed && { departed }) };
    });
  }

  /** @throws ConflictError when it is declared again and nothing was removed: then it stays. */
  async release(
    key: string,
    uid: string,
    { removed, moved }: Parameters<Source['release']>[2],
  ): Promise<void> {
    this.#options.outputs?.discard(this.#publisher(key, uid));
    const { before } = await this.#state.write(key, (slot) => {
      const row = owned(slot.row, key, uid);
      if (!row.object.deleting && !removed) throw declaredAgain(key);
      const counts = moved !== true && row.approved !== leavingID(row.object);
      const departed = counts ? this.#departure(row) : undefined;
      return { row: undefined, ...(departed && { departed }) };
    });
    // Its manifest came back too late to save it: it is declared as a new object.
    if (!before.row?.object.deleting) this.#intake.refresh();
  }

  published(key: string, uid: string, name: string): Published {
    return this.#options.outputs?.published(this.#publisher(key, uid), name) ?? { is: 'absent' };
  }

  /** @throws ApiError */
  async tryPublish(key: string, uid: string, name: string): Promise<void> {
    this.#outputs(name).tryPublish(this.#publisher(key, uid), name);
  }

  /** @throws ApiError */
  async publish(key: string, uid: string, output: Output): Promise<void> {
    this.#outputs(output.name).publish(this.#publisher(key, uid), output);
  }

  async withdraw(key: string, uid: string, name: string): Promise<void> {
    this.#options.outputs?.withdraw(this.#publisher(key, uid), name);
  }

  #outputs(name: string): Outputs {
    const { outputs } = this.#options;
    if (outputs) return outputs;
    const message = `there is no directory for output ${name}: start with --output-dir`;
    throw new ApiError('waiting', 'NoOutputDirectory', message);
  }

  #publisher(key: string, uid: string): Publisher {
    const { object, memory } = owned(this.#state.rows.get(key), key, uid);
    const { movedFrom } = memory;
    return { key: object.key, uid, ...(movedFrom !== undefined && { formerly: movedFrom }) };
  }

  approved(key: string): string | undefined {
    return this.#state.rows.get(key)?.approved;
  }

  departed(connection: string): readonly string[] {
    return this.#state.departed(connection, this.#options.clock.nowMs());
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
   * @throws UsageError when there is no such object, or this can't be a request.
   */
  async overlay(key: string, name: string, token: string | undefined): Promise<void> {
    await this.#state.overlay(key, name, token);
    this.#notify?.(key, 'requested');
  }

  async #change(key: string, uid: string, change: (row: Row) => Row): Promise<void> {
    await this.#state.write(key, (slot) => ({ ...slot, row: change(owned(slot.row, key, uid)) }));
  }

  /** What counts against the deletion limits of a connection; connections themselves don't. */
  #departure({ object }: Row): { readonly connection: string; readonly atMs: number } | undefined {
    const connection = this.#options.connectionOf(object.key);
    return connection === undefined ? undefined : { connection, atMs: this.#options.clock.nowMs() };
  }
}

const declaredAgain = (key: string): ConflictError => new ConflictError(`${key} is declared again`);
