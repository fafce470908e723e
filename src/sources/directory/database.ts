// The state's file: how it is made and opened. A file that can't be trusted is an error, never a new one.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UsageError, messageOf } from '../../core/errors.ts';

export const schemaVersion = 1;
const applicationId = 0x486f6c64; // "Hold", in the file's header
const sqliteCorrupt = 11;
const sqliteNotADatabase = 26;
/** How long a reader waits while another process recovers or closes the state. The holder of the lock never waits. */
const busyTimeoutMs = { read: 1_000, write: 0 } as const;

const schema = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE objects (
    key TEXT PRIMARY KEY,
    uid TEXT NOT NULL,
    generation INTEGER NOT NULL,
    origin TEXT NOT NULL,
    hash TEXT NOT NULL,
    requests TEXT NOT NULL, -- JSON: as the manifest has them
    overlay TEXT NOT NULL,  -- JSON: as commands gave them
    spec TEXT NOT NULL,     -- JSON: the last valid one
    memory TEXT NOT NULL,   -- JSON
    leaving INTEGER NOT NULL,
    held INTEGER NOT NULL,
    approved INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE incarnations (key TEXT PRIMARY KEY, incarnation INTEGER NOT NULL) STRICT;
  CREATE TABLE released (connection TEXT NOT NULL, at INTEGER NOT NULL, key TEXT NOT NULL) STRICT;
`;

/** The code that SQLite itself gave the error; `undefined` for any other error. */
export const sqliteCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined;

/**
 * Makes a new state. It appears under its name whole or not at all, so an empty file is never a new state.
 * @param versionKey 32 random bytes.
 * @throws UsageError when there can't be one.
 */
export function createDatabase(file: string, versionKey: Uint8Array): void {
  // SQLite would play an older log into the new file.
  if (existsSync(`${file}-wal`)) throw damaged(file, 'it is missing, but its -wal file is there');
  try {
    const draft = `${file}.new`;
    rmSync(draft, { force: true });
    closeSync(openSync(draft, 'wx', 0o600)); // SQLite keeps the mode, for the files beside it too
    const database = new DatabaseSync(draft);
    database.exec(`BEGIN; PRAGMA application_id = ${applicationId}; ${schema}`);
    const meta = database.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
    meta.run('schema', String(schemaVersion));
    meta.run('versionKey', Buffer.from(versionKey).toString('hex'));
    database.exec('COMMIT');
    database.close();
    renameSync(draft, file);
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    throw explained(file, error);
  }
}

/**
 * Opens a state that exists.
 * @throws UsageError when it is damaged, somebody else's, or can't be read.
 */
export function openDatabase(file: string, access: 'read' | 'write'): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (statSync(file).size === 0) throw damaged(file, 'it is empty');
    database = new DatabaseSync(file, { readOnly: access === 'read', timeout: busyTimeoutMs[access] });
    if (database.prepare('PRAGMA application_id').get()?.['application_id'] !== applicationId) {
      throw new UsageError(`${file} is not a state of Holdfast's`);
    }
    if (access === 'write') database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return database;
  } catch (error) {
    database?.close();
    throw explained(file, error);
  }
}

export const damaged = (file: string, how: string, cause?: unknown): UsageError =>
  new UsageError(
    `${file} is damaged (${how}): restore it from a backup, or move it and its -wal file away to begin anew; ` +
      'what Holdfast made before is then taken over again as adoptionPolicy allows',
    { cause },
  );

/** What to tell people of an error that the database gave. */
export function explained(file: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error; // neither SQLite's nor the file system's
  const code = sqliteCode(error);
  if (code === sqliteCorrupt || code === sqliteNotADatabase) return damaged(file, messageOf(error), error);
  return new UsageError(`${file} can't be used: ${messageOf(error)}`, { cause: error });
}
