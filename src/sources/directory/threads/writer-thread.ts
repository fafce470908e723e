// The program of the thread that writes the state's file. It executes one transaction after the other, each completely or
// not at all, and answers once it is durable or why it failed. Waiting for the disk blocks this thread only.
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { UsageError } from '../../../core/errors.ts';
import { metaOf, openDatabase, troubleOf } from '../state/database.ts';
import { fileIdOf } from '../state/distrust.ts';
import { GenerationFile, readGeneration } from '../state/generation.ts';
import { countCommit, statements, type Transaction } from '../state/transaction.ts';

/** A transaction as JSON, since cloning one takes several times as long. Empty: close the file. */
export type WriterQuestion = string;

/** Why nothing was done; `undefined`: all of it was done and survives a crash. */
export type WriterAnswer = string | undefined;

/** The file that the process has read. */
export interface WrittenFile {
  readonly path: string;
  /** Its `fileIdOf`. */
  readonly id: string;
}

/**
 * The log's size in bytes at which it is checkpointed: in a pause, or else at once. That takes up to some hundred milliseconds, for
 * which a repair would wait.
 */
const logBytesMax = { inPause: 2 ** 20, atOnce: 16 * 2 ** 20 } as const;
/** Of the pause in ms: what belongs to one repair is written within less. */
const pauseMs = 100;
/** The least that a transaction adds to the log in bytes, because pages are written whole. */
const commitBytesMin = 16_384;

class Writing {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #beside: GenerationFile;
  readonly #id: string;
  #commits = 0;
  #folded: number;
  #logBytes = 0;
  #pause: NodeJS.Timeout | undefined;

  /** @throws UsageError if the file was replaced since it was read: it would get rows of one state among those of another */
  constructor({ path, id }: WrittenFile) {
    this.#database = openDatabase(path, 'write');
    try {
      this.#id = metaOf(this.#database, 'id') ?? '';
      const beside = readGeneration(path);
      const isOther = fileIdOf(statSync(path, { bigint: true })) !== id || this.#id !== beside?.id;
      if (isOther || Number(metaOf(this.#database, 'commits')) < beside.commits)
        throw new UsageError('it was replaced while holdfast works with it: start holdfast again');
      this.#database.exec('PRAGMA wal_autocheckpoint = 0'); // done in #fold, where its progress is known
      this.#folded = beside.folded;
      this.#beside = new GenerationFile(path);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  make(transaction: Transaction, bytes: number): void {
    clearTimeout(this.#pause);
    this.#commits = this.#commit(transaction);
    this.#logBytes += Math.max(bytes, commitBytesMin);
    this.#note();
    if (this.#logBytes > logBytesMax.atOnce) this.#fold();
    else if (this.#logBytes > logBytesMax.inPause) this.#pause = setTimeout(() => this.#fold(), pauseMs);
  }

  #note(): void {
    this.#beside.write({ id: this.#id, commits: this.#commits, folded: this.#folded });
  }

  #commit(transaction: Transaction): number {
    try {
      this.#database.exec('BEGIN');
      for (const [name, ...values] of transaction) this.#prepare(statements[name]).run(...values.map(column));
      const counted = this.#prepare(countCommit).get();
      this.#database.exec('COMMIT');
      return Number(counted?.['value']);
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Checkpoints the log. While another process reads, some of it may have to wait for the next time. */
  #fold(): void {
    try {
      const done = this.#prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
      if (done?.['busy'] !== 0 || done['log'] !== done['checkpointed']) return;
    } catch {
      return; // the commits stand in the log
    }
    this.#logBytes = 0;
    this.#folded = this.#commits;
    this.#note();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }

  close(): void {
    clearTimeout(this.#pause);
    this.#database.close();
    this.#beside.close();
  }
}

class File {
  readonly #file: WrittenFile;
  #writing: Writing | undefined;

  constructor(file: WrittenFile) {
    this.#file = file;
  }

  answer(question: WriterQuestion): WriterAnswer {
    try {
      if (question === '') this.#close();
      else (this.#writing ??= new Writing(this.#file)).make(JSON.parse(question), question.length); // made by writer.ts
      return undefined;
    } catch (error) {
      return error instanceof UsageError ? error.message : troubleOf(this.#file.path, error);
    }
  }

  #close(): void {
    const writing = this.#writing;
    this.#writing = undefined; // whatever becomes of it: the next transaction opens the file anew
    writing?.close();
  }
}

const column = (value: Transaction[number][1]): string | number =>
  typeof value === 'object' ? JSON.stringify(value[0]) : value;

const written: WrittenFile = workerData; // given by storage.ts
const file = new File(written);
parentPort?.on('message', (question: WriterQuestion) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(file.answer(question));
});
