// A copy of a state, also while a process works on it: whole, as it was at one moment, and marked as what it is.
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, backup } from 'node:sqlite';
import { UsageError, messageOf } from '../../../core/errors.ts';
import { openDatabase } from './database.ts';
import { statements } from './transaction.ts';

/** All pages in one step: between two, a writer could change what was copied. */
const pagesMax = 2 ** 30;

/**
 * Page by page, so that it has the layout of the state it was taken of.
 * @param to appears under its name whole or not at all, for its owner only; never over what is there.
 * @param at when this is, ISO 8601: whoever starts from it is told.
 * @throws UsageError when it can't be made.
 */
export async function backUp(file: string, to: string, at: string): Promise<void> {
  const source = openDatabase(file, 'read');
  const draft = `${to}.partial`;
  let reserved = false;
  try {
    closeSync(openSync(to, 'wx', 0o600));
    reserved = true;
    rmSync(draft, { force: true });
    closeSync(openSync(draft, 'wx', 0o600));
    await backup(source, draft, { rate: pagesMax });
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
