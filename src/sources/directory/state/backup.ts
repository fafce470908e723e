// Copies a state, even while a process uses it. The copy is complete, as of one moment, and marked as a backup.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, backup } from 'node:sqlite';
import { UsageError, messageOf } from '../../../core/errors.ts';
import { openForReading } from './reading.ts';
import { statements } from './transaction.ts';

/** Copies all pages in one step: between two steps, a writer could change pages that were copied already. */
const pagesMax = 2 ** 30;

/**
 * Makes a backup, page by page to keep the layout of the state.
 * @param to created atomically, readable for its owner only; an existing file is never replaced
 * @param at the current time (ISO 8601), which a process that starts from the backup reports
 * @throws UsageError if the backup can't be made
 */
export async function backUp(file: string, to: string, at: string): Promise<void> {
  const source = openForReading(file);
  // A name that nobody else uses: whatever other files lie beside the backup stay.
  const draft = `${to}.${randomBytes(6).toString('hex')}.partial`;
  let reserved = false;
  try {
    closeSync(openSync(to, 'wx', 0o600));
    reserved = true;
    closeSync(openSync(draft, 'wx', 0o600));
    await backup(source.database, draft, { rate: pagesMax });
    source.check();
    mark(draft, at);
    sync(draft);
    renameSync(draft, to);
    sync(dirname(to));
  } catch (error) {
    if (reserved)
      for (const made of [to, draft, `${draft}-wal`, `${draft}-shm`]) rmSync(made, { force: true });
    throw new UsageError(`${to}: no backup was made: ${messageOf(error)}`, { cause: error });
  } finally {
    source.close();
  }
}

function mark(file: string, at: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
    database.prepare(statements.setMeta).run('backup', at);
  } finally {
    database.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
