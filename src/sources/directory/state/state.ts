// Stores what a directory source must remember: every object with its last valid document and its status. It is held in
// memory and written through to one SQLite file. A write that resolved survives a crash; a write that failed changed
// nothing.
import type { Boot } from './boot.ts';
import type { EffectGate } from '../../../api/effect.ts';
import { ApiError, UsageError } from '../../../core/errors.ts';
import type { Problem } from '../../../core/text/problem.ts';
import type { Approvals, Distrust } from '../../../core/source/approvals.ts';
import { CommitQueue, type Written } from './commit-queue.ts';
import { readContents, type Contents } from './contents.ts';
import { distrustOf, unacknowledged, type Doubt } from './distrust.ts';
import { sameInstallation, versionsBy, type VersionOf } from '../identity.ts';
import type { Lock } from './lock.ts';
import { noteOf } from './noted-problems.ts';
import { noteDoubt } from './restored.ts';
import { DeletionLog } from './deletion-log.ts';
import {
  approve,
  countAnswered,
  grant,
  layOver,
  type Keep,
  type NextSlot,
  type Row,
  type Slot,
} from './row.ts';
import { onDisk, type Opened, type Storage } from './storage.ts';
import type { ReadingChanges } from '../tree/stored-reading.ts';
import { readingTransactions, type Operation } from './transaction.ts';
import { Writer } from './writer.ts';

export interface StateOptions {
  /** Path of the SQLite file; the lock lies beside it. */
  readonly file: string;
  readonly gate: Pick<EffectGate, 'run'>;
  /** Names of the requests whose every value asks for one thing to be done once. */
  readonly onceRequests: ReadonlySet<string>;
  /** Names of the requests that only objects that are being deleted accept. Absent: none. */
  readonly deletionRequests?: ReadonlySet<string>;
  /** Cryptographic: makes the key for versions of Secrets. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly nowMs?: () => number;
  /** Absent: deletions of earlier processes count from the start of this one. */
  readonly boot?: Boot;
  /** What this program is, as tree/readings.ts means it. Absent: readings of files are neither used nor kept. */
  readonly program?: string;
  /** Where the state is stored. Default: on disk, as `file`. */
  readonly storage?: Storage;
  /** In ms. A transaction that takes longer has failed. Default: 30,000. */
  readonly commitMsMax?: number;
  /** Called once when the file can't be written (with the reason), and once when it can again (`undefined`). */
  readonly onRefused?: (message: string | undefined) => void;
}

function ignoreApiError(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}

export class State implements Approvals {
  readonly file: string;
  readonly onceRequests: ReadonlySet<string>;
  readonly deletionRequests: ReadonlySet<string>;
  readonly versionOf: VersionOf;
  readonly #lock: Lock;
  readonly #writer: Writer;
  readonly #rows: Map<string, Row>;
  readonly #recentDeletions: DeletionLog;
  readonly #queue: CommitQueue;
  readonly #nowMs: () => number;
  #installation: string | undefined;
  #doubt: Doubt | undefined;
  #problems: string;
  #readings: Contents['readings'];
  #closed = false;

  /**
   * Takes the lock and reads the state, or creates one.
   * @throws UsageError if another process holds the lock, or the state can't be trusted
   */
  static async open(options: StateOptions): Promise<State> {
    const { file, storage = onDisk(file) } = options;
    const lock = storage.lock();
    try {
      const opened = storage.open(options.randomBytes);
      const state = await State.#from(opened, { ...options, storage }, lock).finally(() => opened.close());
      await state.#restamp();
      return state;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  static async #from(
    opened: Opened,
    options: StateOptions & { readonly storage: Storage },
    lock: Lock,
  ): Promise<State> {
    const contents = await readContents(options.file, opened.database, { program: options.program });
    const doubt = noteDoubt(options.file, opened, contents.origin, options.randomBytes);
    return new State(options, lock, contents, doubt);
  }

  private constructor(
    options: StateOptions & { readonly storage: Storage },
    lock: Lock,
    contents: Contents,
    doubt: Doubt | undefined,
  ) {
    const { file, storage, gate, boot, commitMsMax = 30_000 } = options;
    const { nowMs = () => performance.now(), onRefused = () => {} } = options;
    this.file = file;
    this.onceRequests = options.onceRequests;
    this.deletionRequests = options.deletionRequests ?? new Set();
    this.versionOf = versionsBy(contents.versionKey);
    this.#lock = lock;
    this.#writer = new Writer({ file, storage, gate, deadlineMs: commitMsMax, onRefused });
    this.#rows = contents.rows;
    this.#nowMs = nowMs;
    this.#recentDeletions = new DeletionLog(contents.recentDeletions, nowMs(), boot);
    this.#queue = new CommitQueue(this.#writer, this.#rows, this.#recentDeletions);
    this.#installation = contents.installation;
    this.#doubt = doubt;
    this.#problems = contents.problems;
    this.#readings = contents.readings;
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  /** The name in holdfast.yaml that this state belongs to; `undefined` before first use. */
  get installation(): string | undefined {
    return this.#installation;
  }

  /**
   * Ties the state to the installation at first use.
   * @throws UsageError if the state belongs to another installation
   */
  async belongTo(installation: string): Promise<void> {
    if (this.#installation !== undefined) return sameInstallation(this.#installation, installation);
    const committed = (): void => void (this.#installation = installation);
    return await this.#writer.commit([['setMeta', 'installation', installation]], committed);
  }

  /** Why the last write failed; `undefined`: it succeeded. */
  get refusal(): string | undefined {
    return this.#writer.refusal;
  }

  /** Set if this state was restored or copied. */
  get distrusted(): Distrust | undefined {
    return this.#doubt && distrustOf(this.file, this.#doubt);
  }

  /**
   * Stores the problems for commands that read only the state. If the write fails, those commands see the earlier
   * problems. The next call then writes even unchanged problems, because only a write shows that the file is writable again.
   */
  async noteProblems(problems: readonly Problem[]): Promise<void> {
    const text = problems.length === 0 ? '' : noteOf(problems);
    if (text === this.#problems && this.refusal === undefined) return;
    const operation: Operation = text === '' ? ['forgetMeta', 'problems'] : ['setMeta', 'problems', text];
    await this.#writer.commit([operation], () => void (this.#problems = text)).catch(ignoreApiError);
  }

  /** What files declared when the state was opened; given once, because nobody needs it after the first scan. */
  takeReadings(): Contents['readings'] {
    const taken = this.#readings;
    this.#readings = new Map();
    return taken;
  }

  /** Stores what files declared. If the write fails, these files are parsed again after a restart. */
  async keepReadings(changes: ReadingChanges): Promise<void> {
    for (const transaction of readingTransactions(changes))
      await this.#writer.commit(transaction, () => {}).catch(ignoreApiError);
  }

  /** Records that all manifests were read and stored, so that their requests are known. */
  async sawAll(): Promise<void> {
    if (this.#doubt?.seen === false) await this.#setDoubt({ ...this.#doubt, seen: true });
  }

  /**
   * Approves a distrusted state. Current requests count as handled.
   * @returns false for an unknown digest
   * @throws UsageError while current requests are not known
   */
  async trust(digest: string, keep: Keep): Promise<boolean> {
    if (this.#doubt?.digest !== digest) return false;
    if (!this.#doubt.seen) throw unacknowledged(this.file, this.#doubt);
    const answered = ({ row }: Slot): NextSlot => ({
      row: row && countAnswered(row, this.onceRequests, keep),
    });
    await Promise.all(Array.from(this.#rows.keys(), (key) => this.write(key, answered)));
    await this.#setDoubt(undefined); // last: after a crash in between, the state must be approved again
    return true;
  }

  async #setDoubt(doubt: Doubt | undefined): Promise<void> {
    const operation: Operation = doubt
      ? ['setMeta', 'doubt', JSON.stringify(doubt)]
      : ['forgetMeta', 'doubt'];
    await this.#writer.commit([operation], () => void (this.#doubt = doubt));
  }

  /**
   * Changes the row of a key. `change` is called with the current slot when its turn comes, and may throw to refuse.
   * Writes of one turn of the event loop, or during another transaction, share a transaction.
   */
  write(key: string, change: (slot: Slot) => NextSlot): Promise<Written> {
    if (this.#closed) return Promise.reject(new Error('the state is closed'));
    return this.#queue.write(key, change);
  }

  /** Replaces a stored spec by an equal one, to keep one copy in memory instead of two. Writes nothing. */
  share(key: string, spec: unknown): void {
    const row = this.#rows.get(key);
    if (row) this.#rows.set(key, { ...row, object: { ...row.object, spec } });
  }

  /**
   * Keys of the connection's objects that were deleted or replaced without approval within the last hour.
   * @param nowMs monotonic
   */
  recentDeletions(connection: string, nowMs = this.#nowMs()): readonly string[] {
    return this.#recentDeletions.keys(connection, nowMs);
  }

  approved(key: string): string | undefined {
    return this.#rows.get(key)?.approved;
  }

  /** @throws ApiError when the lock is lost: another process may work on the state */
  fence(): void {
    if (this.#lock.isHeld()) return;
    throw new ApiError(
      'unavailable',
      'StateUnavailable',
      `${this.file} is not locked by this process any more: its lock was removed or replaced, so start holdfast again`,
    );
  }

  /** Approves what waits under this digest. @returns the keys of the objects concerned, if any */
  async approve(digest: string): Promise<readonly string[]> {
    const keys = [...this.#rows].flatMap(([key, { status }]) =>
      status.awaits?.digest === digest ? [key] : [],
    );
    await Promise.all(
      keys.map((key) => this.write(key, ({ row }) => ({ row: row && approve(row, digest) }))),
    );
    return keys;
  }

  /** @param goings key → ID of the approved deletion or replacement */
  async grant(goings: ReadonlyMap<string, string>): Promise<void> {
    await Promise.all(
      Array.from(goings, ([key, id]) => this.write(key, ({ row }) => ({ row: row && grant(row, id) }))),
    );
  }

  /**
   * Sets a request or a suspension on top of the manifest, which is never edited.
   * @param token `undefined` withdraws the request
   * @param asker the person, and the time
   * @throws UsageError if the object does not exist, or name or token can't be a request
   */
  async overlay(key: string, name: string, token: string | undefined, asker?: string): Promise<void> {
    await this.write(key, (slot) => {
      if (slot.row === undefined) throw new UsageError(`no such object: ${key}`);
      return { ...slot, row: layOver(slot.row, name, token, asker) };
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue.settled();
    await this.#writer.close();
    this.#lock.release();
  }

  /** Stamps deletions of another boot with the current time, for later processes: otherwise they would never expire. */
  async #restamp(): Promise<void> {
    const { restamped: stamp } = this.#recentDeletions;
    if (!stamp) return;
    const values = [stamp.boot, stamp.bootMs] as const;
    // If this fails, they count from the next start again: they expire later, which is the safe side.
    await this.#writer.commit([['restampDeletions', ...values, ...values]], () => {}).catch(ignoreApiError);
  }
}
