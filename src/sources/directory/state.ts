// What a directory source remembers: every object with its last valid document and its memory, held in memory and
// written through to one SQLite file. A write that resolved survives a crash; one that failed has changed nothing.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { EffectGate } from '../../api/effect.ts';
import { ApiError, UsageError } from '../../core/errors.ts';
import { readContents, type Contents } from './contents.ts';
import { createDatabase, openDatabase } from './database.ts';
import { sameInstallation, versionsBy, type VersionOf } from './identity.ts';
import { acquireLock, type Lock } from './lock.ts';
import { approve, layOver, type Departure, type NextSlot, type Row, type Slot } from './row.ts';
import { departuresKeptMs, operationsBack, operationsOf, type Write } from './transaction.ts';
import { Writer } from './writer.ts';

/** Between two commits: the busier, the more goes into one. */
const spacingMs = 5;
/** Bounds one transaction, and with it how long putting it together holds up the event loop. */
const writesPerCommitMax = 1_000;
const requestName = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
const tokenMax = 1_024;

/** What a write found, and what it left. */
export interface Written {
  readonly before: Slot;
  readonly after: Slot;
}

interface Waiting {
  readonly key: string;
  readonly change: (slot: Slot) => NextSlot;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

interface Accepted extends Written {
  readonly waiting: Waiting;
  readonly after: NextSlot;
}

export interface StateOptions {
  /** Path of the SQLite file; the lock lies beside it. */
  readonly file: string;
  readonly gate: Pick<EffectGate, 'run'>;
  /** Cryptographic: makes the key that names the versions of Secrets. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** A transaction that takes longer has failed. Default: 30 s. */
  readonly commitMsMax?: number;
}

/** A state as it was at one moment. */
export interface Snapshot {
  readonly installation: string | undefined;
  readonly rows: ReadonlyMap<string, Row>;
  /** How often Holdfast removed the external object of a key; absent: never. */
  readonly incarnations: ReadonlyMap<string, number>;
  readonly versionOf: VersionOf;
}

/**
 * Looks into a state without touching it, also while another process works on it.
 * @returns `undefined` where there is none.
 * @throws UsageError when it can't be trusted.
 */
export async function openStateReadOnly(file: string): Promise<Snapshot | undefined> {
  if (!existsSync(file)) return undefined;
  const opened = openDatabase(file, 'read');
  try {
    const { installation, rows, incarnations, versionKey } = await readContents(file, opened);
    return { installation, rows, incarnations, versionOf: versionsBy(versionKey) };
  } finally {
    opened.close();
  }
}

const approved = ({ row, incarnation }: Slot): NextSlot => ({ row: row && approve(row), incarnation });

export class State {
  readonly file: string;
  readonly versionOf: VersionOf;
  readonly #lock: Lock;
  readonly #writer: Writer;
  readonly #rows: Map<string, Row>;
  readonly #incarnations: Map<string, number>;
  readonly #departures: Departure[];
  #installation: string | undefined;
  #waiting: Waiting[] = [];
  /** Resolves when nothing waits any more. */
  #committing: Promise<void> | undefined;
  /** Of performance.now: no commit before then. */
  #nextCommitMs = 0;
  /** Keys of writes that failed and may stand in the file all the same. */
  #doubtful = new Set<string>();
  #closed = false;

  /**
   * Takes the lock and reads the state; makes one where there is none.
   * @throws UsageError when another process holds it, or it can't be trusted.
   */
  static async open(options: StateOptions): Promise<State> {
    const { file } = options;
    const lock = acquireLock(join(dirname(file), 'state.lock'));
    try {
      if (!existsSync(file)) createDatabase(file, options.randomBytes(32));
      const opened = openDatabase(file, 'write'); // tells now what would keep the writer from it
      try {
        return new State(options, lock, await readContents(file, opened));
      } finally {
        opened.close();
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private constructor({ file, gate, commitMsMax = 30_000 }: StateOptions, lock: Lock, contents: Contents) {
    this.file = file;
    this.versionOf = versionsBy(contents.versionKey);
    this.#lock = lock;
    this.#writer = new Writer(file, gate, commitMsMax);
    this.#rows = contents.rows;
    this.#incarnations = contents.incarnations;
    this.#departures = contents.departures;
    this.#installation = contents.installation;
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  /** The name in holdfast.yaml to which this state belongs; `undefined` before first use. */
  get installation(): string | undefined {
    return this.#installation;
  }

  /**
   * Ties the state to the installation at first use.
   * @throws UsageError when it belongs to another one.
   */
  async belongTo(installation: string): Promise<void> {
    if (this.#installation !== undefined) return sameInstallation(this.#installation, installation);
    const committed = (): void => void (this.#installation = installation);
    return await this.#writer.commit([['setMeta', 'installation', installation]], committed);
  }

  /**
   * Changes what stands under a key. `change` is called when its turn to be written has come, with what stands there
   * then; it may refuse by throwing. All writes asked for in one turn of the event loop, or while another transaction is
   * made, share a transaction.
   */
  write(key: string, change: (slot: Slot) => NextSlot): Promise<Written> {
    if (this.#closed) return Promise.reject(new Error('the state is closed'));
    const written = Promise.withResolvers<Written>();
    this.#waiting.push({ key, change, ...written });
    this.#committing ??= this.#commit();
    return written.promise;
  }

  /** Keeps the given spec, equal to the one there, in its place: one copy in memory instead of two. Writes nothing. */
  share(key: string, spec: unknown): void {
    const row = this.#rows.get(key);
    if (row) this.#rows.set(key, { ...row, object: { ...row.object, spec } });
  }

  /** How many objects of the connection left unapproved since then; at most the last hour is known. */
  departedSince(connection: string, sinceMs: number): number {
    return this.#departures.filter((d) => d.connection === connection && d.atMs >= sinceMs).length;
  }

  /** Lets objects leave beyond the deletion limits. Those that are not leaving are passed over. */
  async approve(keys: Iterable<string>): Promise<void> {
    await Promise.all(Array.from(keys, (key) => this.write(key, approved)));
  }

  /**
   * Lays a request or a suspension over the manifest, which is never edited.
   * @param token `undefined` takes it back.
   * @throws UsageError when there is no such object, or name or token can't be a request.
   */
  async overlay(key: string, name: string, token: string | undefined): Promise<void> {
    if (!requestName.test(name))
      throw new UsageError(`expected the name of a request, got "${name.slice(0, 80)}"`);
    if (token !== undefined && token.length > tokenMax) {
      throw new UsageError(`${name}: expected at most ${tokenMax} characters, got ${token.length}`);
    }
    await this.write(key, (slot) => {
      if (slot.row === undefined) throw new UsageError(`there is no ${key}`);
      return { ...slot, row: layOver(slot.row, name, token) };
    });
  }

  /** Writes what waits, then lets go of file and lock. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#committing;
    await this.#writer.close();
    this.#lock.release();
  }

  #slot(key: string): Slot {
    return { row: this.#rows.get(key), incarnation: this.#incarnations.get(key) ?? 0 };
  }

  async #commit(): Promise<void> {
    while (this.#waiting.length > 0) {
      const waitMs = this.#nextCommitMs - performance.now();
      await (waitMs > 0 ? setTimeout(waitMs) : setImmediate());
      await this.#flush(this.#waiting.splice(0, writesPerCommitMax));
      this.#nextCommitMs = performance.now() + spacingMs;
    }
    this.#committing = undefined;
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    const accepted = this.#prepare(batch);
    const writes = accepted
      .filter(({ before, after }) => after.row !== before.row)
      .map(({ waiting, before, after }) => ({ key: waiting.key, before: before.row, ...after }));
    try {
      if (writes.length > 0) await this.#write(writes);
      for (const { waiting, ...written } of accepted) waiting.resolve(written);
    } catch (error) {
      for (const { waiting } of accepted) waiting.reject(error);
    }
  }

  /** What failed has changed nothing: where that is in doubt, the next transaction begins by making it so. */
  async #write(writes: readonly Write[]): Promise<void> {
    const back = Array.from(this.#doubtful, (key) => [...operationsBack(key, this.#slot(key))]);
    const transaction = [...back, ...writes.map((write) => [...operationsOf(write)])].flat();
    try {
      await this.#writer.commit(transaction, () => {
        this.#doubtful.clear();
        this.#publish(writes);
      });
    } catch (error) {
      const doubtful = error instanceof ApiError && error.mayHaveHadEffect;
      for (const { key } of doubtful ? writes : []) this.#doubtful.add(key);
      throw error;
    }
  }

  /** What the changes amount to, each seeing those before it. One that throws is refused; the others go on. */
  #prepare(batch: readonly Waiting[]): readonly Accepted[] {
    const slots = new Map<string, Slot>();
    const accepted: Accepted[] = [];
    for (const waiting of batch) {
      const { key, change, reject } = waiting;
      try {
        const before = slots.get(key) ?? this.#slot(key);
        const after = change(before);
        slots.set(key, after);
        accepted.push({ waiting, before, after });
      } catch (error) {
        reject(error);
      }
    }
    return accepted;
  }

  #publish(writes: readonly Write[]): void {
    for (const { key, row, incarnation, departed } of writes) {
      if (row) this.#rows.set(key, row);
      else this.#rows.delete(key);
      if (incarnation > 0) this.#incarnations.set(key, incarnation);
      if (departed) this.#depart(departed);
    }
  }

  #depart(departed: Departure): void {
    const keptSinceMs = departed.atMs - departuresKeptMs;
    const kept = this.#departures.findIndex(({ atMs }) => atMs >= keptSinceMs);
    this.#departures.splice(0, kept === -1 ? this.#departures.length : kept);
    this.#departures.push(departed);
  }
}
