// The state on disk: one SQLite file, locked by one process. A commit survives if the process is killed at any instant;
// a power failure may lose the last commits (synchronous is off).
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { UsageError, messageOf } from '../core/errors.ts';
import { storageError } from './storage.ts';

/** Incremented when rows change in a way that earlier versions can't read. */
const format = 3;

/** A row to write, or to delete if it has no body. */
export interface Change {
  readonly bucket: string;
  readonly key: string;
  readonly body: (() => string) | undefined;
}

export class Database {
  readonly #db: DatabaseSync;
  readonly #put: StatementSync;
  readonly #drop: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #file: string;
  #inside = false;

  /** @throws UsageError if another process holds the file, its format is another, or it can't be opened. */
  constructor(file: string) {
    this.#file = file;
    this.#db = opened(file);
    try {
      this.#prepare(file);
    } catch (error) {
      this.#db.close();
      throw error instanceof UsageError ? error : unusable(file, error);
    }
    this.#put = this.#db.prepare('INSERT OR REPLACE INTO record VALUES (?, ?, ?)');
    this.#drop = this.#db.prepare('DELETE FROM record WHERE bucket = ? AND key = ?');
    this.#begin = this.#db.prepare('BEGIN');
    this.#commit = this.#db.prepare('COMMIT');
  }

  #prepare(file: string): void {
    try {
      this.#db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
      this.#db.exec('BEGIN EXCLUSIVE; COMMIT'); // takes the lock now and keeps it
    } catch (cause) {
      const why = messageOf(cause).includes('locked') ? 'does another process use it?' : messageOf(cause);
      throw new UsageError(`${file}: can't be opened; ${why}`, { cause });
    }
    const found = this.#db.prepare('PRAGMA user_version').get()?.['user_version'];
    if (found !== 0 && found !== format) {
      const why = `expected format ${format} of the embedded services' state, found ${String(found)}`;
      throw new UsageError(`${file}: ${why}; remove the file to start afresh`);
    }
    this.#db.exec(`PRAGMA user_version = ${format}`);
    this.#db.exec(
      'CREATE TABLE IF NOT EXISTS record (bucket TEXT, key TEXT, body TEXT, PRIMARY KEY (bucket, key)) WITHOUT ROWID',
    );
  }

  *rows(bucket: string): Generator<readonly [string, string]> {
    const select = this.#db.prepare('SELECT key, body FROM record WHERE bucket = ? ORDER BY key');
    for (const row of select.iterate(bucket)) yield [String(row['key']), String(row['body'])];
  }

  /** Writes all changes or none. @throws StorageError if the disk can't be written */
  write(changes: readonly Change[]): void {
    this.atomically(() => {
      for (const { bucket, key, body } of changes) {
        if (body === undefined) this.#drop.run(bucket, key);
        else this.#put.run(bucket, key, body());
      }
    });
  }

  /** Commits everything that `work` writes, or nothing. @throws StorageError if the disk can't be written */
  atomically(work: () => void): void {
    if (this.#inside) return work();
    this.#inside = true;
    try {
      this.#begin.run();
      work();
      this.#commit.run();
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK'); // a full disk may have ended the transaction already
      throw storageError(this.#file, error);
    } finally {
      this.#inside = false;
    }
  }

  close(): void {
    this.#db.close();
  }
}

function opened(file: string): DatabaseSync {
  try {
    closeSync(openSync(file, 'a', 0o600)); // the file holds secrets
    return new DatabaseSync(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

const unusable = (file: string, cause: unknown): UsageError =>
  new UsageError(`${file}: can't be opened: ${messageOf(cause)}`, { cause });
