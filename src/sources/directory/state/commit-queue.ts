// Gathers writes to the state into transactions. It updates the rows in memory after each commit, and only then.
import { setImmediate, setTimeout } from 'node:timers/promises';
import { ApiError } from '../../../core/errors.ts';
import type { DeletionLog } from './deletion-log.ts';
import type { NextSlot, Row, Slot } from './row.ts';
import { operationsBack, operationsOf, type Write } from './transaction.ts';
import type { Writer } from './writer.ts';

/** The least time between two commits: the higher the load, the larger the transactions. */
const spacingMs = 5;
/** Bounds a transaction, and thereby the time for which preparing it blocks the event loop. */
const writesPerCommitMax = 1_000;

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

export class CommitQueue {
  readonly #writer: Pick<Writer, 'commit'>;
  readonly #rows: Map<string, Row>;
  readonly #recentDeletions: DeletionLog;
  #waiting: Waiting[] = [];
  #committing: Promise<void> | undefined;
  /** The earliest time of the next commit, by performance.now. */
  #nextCommitMs = 0;
  /** Keys of failed writes that may have reached the file. */
  #doubtful = new Set<string>();

  /**
   * @param rows as in the file; each commit updates them
   * @param recentDeletions as in the file; each commit updates them
   */
  constructor(writer: Pick<Writer, 'commit'>, rows: Map<string, Row>, recentDeletions: DeletionLog) {
    this.#writer = writer;
    this.#rows = rows;
    this.#recentDeletions = recentDeletions;
  }

  /** See State.write. */
  write(key: string, change: (slot: Slot) => NextSlot): Promise<Written> {
    const written = Promise.withResolvers<Written>();
    this.#waiting.push({ key, change, ...written });
    this.#committing ??= this.#commit();
    return written.promise;
  }

  async settled(): Promise<void> {
    await this.#committing;
  }

  #slot(key: string): Slot {
    return { row: this.#rows.get(key) };
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
      .map(({ waiting, before, after: { deletion, ...after } }): Write => ({
        key: waiting.key,
        before: before.row,
        ...after,
        ...(deletion && { deletion: this.#recentDeletions.numbered(waiting.key, deletion) }),
      }));
    try {
      if (writes.length > 0) await this.#write(writes);
      for (const { waiting, ...written } of accepted) waiting.resolve(written);
    } catch (error) {
      for (const { waiting } of accepted) waiting.reject(error);
    }
  }

  /** A failed write changes nothing: if it may have reached the file, the next transaction first restores its rows. */
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

  /** Applies the changes in order, each to the result of those before it. A change that throws is rejected alone. */
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
    for (const { key, row, deletion } of writes) {
      if (row) this.#rows.set(key, row);
      else this.#rows.delete(key);
      if (deletion) this.#recentDeletions.add(deletion);
    }
  }
}
