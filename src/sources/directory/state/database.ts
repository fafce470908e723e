// Creates and opens the state's file. A file that can't be trusted is an error; it is never replaced by a new one.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UsageError, messageOf } from '../../../core/errors.ts';
import { hindranceOf } from './access.ts';
import { fileIdOf } from './distrust.ts';
import { readGeneration, writeGeneration, type Generation } from './generation.ts';

export const schemaVersion = 6;
const applicationId = 0x486f6c64; // "Hold", in the file's header
const sqliteCorrupt = 11;
export const sqliteCantOpen = 14;
const sqliteNotADatabase = 26;
/** SQLITE_IOERR_SHMSIZE: a file beside the state could not grow, which a reader needs, too. */
export const sqliteNoRoomBeside = 4_874;
/** How long to wait in ms while another process opens, recovers or closes the state. Commands that read it do, at any time. */
const busyTimeoutMs = 1_000;

/** What files of the tree declared (tree/readings.ts). */
export const filesTable = `
  CREATE TABLE IF NOT EXISTS files (
    origin TEXT PRIMARY KEY,
    digest TEXT NOT NULL,  -- of the bytes
    program TEXT NOT NULL, -- that read them
    objects TEXT NOT NULL, -- JSON
    sum TEXT NOT NULL      -- of the row
  ) STRICT`;

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
    askers TEXT NOT NULL,   -- JSON: who gave these commands, and when
    answered TEXT NOT NULL, -- JSON: those that are not done again
    spec TEXT NOT NULL,     -- JSON: the last valid one
    status TEXT NOT NULL,   -- JSON
    leaving INTEGER NOT NULL,
    held INTEGER NOT NULL,
    approved TEXT NOT NULL,
    labels TEXT NOT NULL,   -- JSON
    created TEXT NOT NULL   -- when it was first declared; empty: not known
  ) STRICT;
  CREATE TABLE released (
    id INTEGER PRIMARY KEY,
    connection TEXT NOT NULL,
    key TEXT NOT NULL,
    boot TEXT NOT NULL,     -- start of the machine on which it was; empty: not known
    bootMs INTEGER NOT NULL -- how long after that start
  ) STRICT;
  ${filesTable};
`;

/** Lets others read while the state is written. A state that was restored from a backup has no log yet. */
const keepLog = 'PRAGMA journal_mode = WAL';

/** SQLite's code of an error; `undefined` for any other error. */
export const sqliteCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined;

/** An empty log does not count: a process that only read leaves one. */
export const hasLog = (file: string): boolean =>
  (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Creates a state. The file appears complete or not at all, so an empty file is never a new state.
 * @param randomBytes cryptographic
 * @throws UsageError if the state can't be created
 */
export function createDatabase(file: string, randomBytes: (size: number) => Uint8Array): void {
  // SQLite would apply an older log to the new file.
  if (hasLog(file)) throw damaged(file, 'it is missing, but its -wal file is there');
  try {
    const draft = `${file}.new`;
    for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(draft + rest, { force: true });
    closeSync(openSync(draft, 'wx', 0o600)); // SQLite gives the files beside it the same mode
    const database = new DatabaseSync(draft);
    const id = newGenerationId(randomBytes);
    begin(database, { id, versionKey: randomBytes(32), file: fileIdOf(statSync(draft, { bigint: true })) });
    database.exec(keepLog); // while nobody reads it: who reads it hinders the change
    database.close();
    // Keeps the generation of a lost state, which proves the loss.
    if ((readGeneration(file)?.commits ?? 0) === 0) writeGeneration(file, { id, commits: 0, folded: 0 });
    renameSync(draft, file);
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    throw explained(file, error);
  }
}

/** Initializes an empty database as a state. @param origin `file`: the database's `fileIdOf` */
export function begin(
  database: DatabaseSync,
  origin: { readonly id: string; readonly versionKey: Uint8Array; readonly file: string },
): void {
  database.exec(`BEGIN; PRAGMA application_id = ${applicationId}; ${schema}`);
  const meta = database.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
  meta.run('schema', String(schemaVersion));
  meta.run('versionKey', Buffer.from(origin.versionKey).toString('hex'));
  meta.run('id', origin.id);
  meta.run('commits', '0');
  meta.run('file', origin.file);
  database.exec('COMMIT');
}

export const newGenerationId = (randomBytes: (size: number) => Uint8Array): string =>
  Buffer.from(randomBytes(8)).toString('hex');

export function metaOf(database: DatabaseSync, name: string): string | undefined {
  const value = database.prepare('SELECT value FROM meta WHERE name = ?').get(name)?.['value'];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Checks that a leftover log belongs to the state; call it before the state is opened. SQLite applies any log that it
 * finds: applied to an older state, the log would produce a state that never existed, or the one that was to be replaced.
 * @param beside the generation file, as read before the state is opened
 * @throws UsageError if the log is another state's
 */
export function checkLog(file: string, beside: Generation | undefined): void {
  if (!hasLog(file)) return;
  let foreign: boolean;
  try {
    const database = new DatabaseSync(aloneOf(file), { readOnly: true });
    const [id, commits] = [metaOf(database, 'id'), Number(metaOf(database, 'commits') ?? Number.NaN)];
    const isBackup = metaOf(database, 'backup') !== undefined; // which has no log before it is one no more (restored.ts)
    database.close();
    const isAnother = beside !== undefined && (id !== beside.id || commits < beside.folded);
    foreign = isBackup || (id !== undefined && isAnother);
  } catch {
    return; // a checkpoint was interrupted; it resumes when the state is opened
  }
  if (!foreign) return;
  throw new UsageError(
    `${file} replaced a newer state, whose log ${file}-wal is still there and would corrupt it: ` +
      `to continue with ${file} as it is, remove ${file}-wal and ${file}-shm, and start again`,
  );
}

/** Has SQLite read the file alone, without its log and without locks. */
function aloneOf(file: string): URL {
  const url = pathToFileURL(file);
  url.search = 'immutable=1';
  return url;
}

/**
 * Opens an existing state.
 * @param access `read alone`: without the log, and without noticing other processes (reading.ts)
 * @throws UsageError if it is damaged, unreadable, or another program's
 */
export function openDatabase(file: string, access: 'read' | 'read alone' | 'write'): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (statSync(file).size === 0) throw damaged(file, 'it is empty');
    const path = access === 'read alone' ? aloneOf(file) : file;
    database = new DatabaseSync(path, { readOnly: access !== 'write', timeout: busyTimeoutMs });
    if (database.prepare('PRAGMA application_id').get()?.['application_id'] !== applicationId) {
      throw new UsageError(`${file} is not a Holdfast state`);
    }
    if (access === 'write') database.exec(`${keepLog}; PRAGMA synchronous = FULL`);
    return database;
  } catch (error) {
    database?.close();
    throw explained(file, error);
  }
}

export const damaged = (file: string, how: string, cause?: unknown): UsageError =>
  new UsageError(
    `${file} is damaged (${how}): restore it from a backup, or move it and its -wal file away to start afresh; ` +
      'existing objects are then adopted as adoptionPolicy allows',
    { cause },
  );

/** What to do about an error, by the code of SQLite or of the system. */
const remedies = new Map<unknown, string>([
  ...[13, sqliteNoRoomBeside, 'ENOSPC', 'EDQUOT'].map((code) => [code, 'free space on its disk'] as const),
  ...[8, 'EROFS', 'EACCES', 'EPERM'].map((code) => [code, 'make it writable again'] as const),
  ...[10, 'EIO'].map((code) => [code, 'check the disk, which may be full, broken or read-only'] as const),
  [sqliteCantOpen, 'check that it can be opened, and raise the limit of open files (ulimit -n)'],
  ...['EMFILE', 'ENFILE'].map((code) => [code, 'raise the limit of open files (ulimit -n)'] as const),
]);

/** @param file that was to be used */
export function troubleOf(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const sqlite = sqliteCode(error);
  const primary = sqlite === undefined ? code : sqlite % 256; // the higher bits are details
  const hindrance = primary === sqliteCantOpen ? hindranceOf(file) : undefined;
  const remedy = hindrance ?? remedies.get(sqlite) ?? remedies.get(primary);
  return remedy === undefined ? messageOf(error) : `${messageOf(error)}: ${remedy}`;
}

export function explained(file: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error; // neither SQLite's nor the file system's
  const code = sqliteCode(error);
  if (code === sqliteCorrupt || code === sqliteNotADatabase) return damaged(file, messageOf(error), error);
  return new UsageError(`${file} can't be used: ${troubleOf(file, error)}`, { cause: error });
}
