// The state's file: how it is made and opened. A file that can't be trusted is an error, never a new one.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UsageError, messageOf } from '../../../core/errors.ts';
import { fileIdOf } from './distrust.ts';
import { readGeneration, writeGeneration, type Generation } from './generation.ts';

export const schemaVersion = 3;
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
    answered TEXT NOT NULL, -- JSON: those that are not done again
    spec TEXT NOT NULL,     -- JSON: the last valid one
    memory TEXT NOT NULL,   -- JSON
    leaving INTEGER NOT NULL,
    held INTEGER NOT NULL,
    approved TEXT NOT NULL
  ) STRICT;
  CREATE TABLE released (
    id INTEGER PRIMARY KEY,
    connection TEXT NOT NULL,
    key TEXT NOT NULL,
    boot TEXT NOT NULL,     -- start of the machine on which it was; empty: not known
    bootMs INTEGER NOT NULL -- how long after that start
  ) STRICT;
`;

/** The code that SQLite itself gave the error; `undefined` for any other error. */
export const sqliteCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined;

/** An empty one is left behind by who only looked. */
const hasLog = (file: string): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Makes a new state. It appears under its name whole or not at all, so an empty file is never a new state.
 * @param randomBytes cryptographic
 * @throws UsageError when there can't be one.
 */
export function createDatabase(file: string, randomBytes: (size: number) => Uint8Array): void {
  // SQLite would play an older log into the new file.
  if (hasLog(file)) throw damaged(file, 'it is missing, but its -wal file is there');
  try {
    const draft = `${file}.new`;
    rmSync(draft, { force: true });
    closeSync(openSync(draft, 'wx', 0o600)); // SQLite keeps the mode, for the files beside it too
    const database = new DatabaseSync(draft);
    const id = newGenerationId(randomBytes);
    begin(database, { id, versionKey: randomBytes(32), file: fileIdOf(statSync(draft, { bigint: true })) });
    database.close();
    // What tells of a state that was lost stays.
    if ((readGeneration(file)?.commits ?? 0) === 0) writeGeneration(file, { id, commits: 0, folded: 0 });
    renameSync(draft, file);
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    throw explained(file, error);
  }
}

/** Makes an empty database a state. @param origin of its file: `fileIdOf` */
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
 * A log of before is played into whatever lies where its state lay: into an older state, it would make up one that never
 * was. Asked before the state is opened.
 * @param beside as it was read before
 * @throws UsageError when the log is not this state's.
 */
export function checkLog(file: string, beside: Generation | undefined): void {
  if (beside === undefined || !hasLog(file)) return;
  let foreign: boolean;
  try {
    const url = pathToFileURL(file);
    url.search = 'immutable=1'; // the file alone, without its log
    const database = new DatabaseSync(url, { readOnly: true });
    const [id, commits] = [metaOf(database, 'id'), Number(metaOf(database, 'commits') ?? Number.NaN)];
    database.close();
    foreign = id !== undefined && (id !== beside.id || commits < beside.folded);
  } catch {
    return; // cut off while the log was folded in, which goes on when it is opened
  }
  if (!foreign) return;
  throw new UsageError(
    `${file} was put in the place of a newer state, of which the log ${file}-wal is still there and would spoil it: ` +
      `to go on from ${file} as it is, remove ${file}-wal and ${file}-shm, and start again`,
  );
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

/** What a person can do, by SQLite's code or the system's. */
const remedies = new Map<unknown, string>([
  ...[13, 'ENOSPC', 'EDQUOT'].map((code) => [code, 'make room on its disk'] as const),
  ...[8, 'EROFS', 'EACCES', 'EPERM'].map((code) => [code, 'make it writable again'] as const),
  ...[10, 'EIO'].map((code) => [code, 'look at the disk, which may be broken or read-only'] as const),
  [14, 'see that it can be opened, and that this process may open more files (ulimit -n)'],
  ...['EMFILE', 'ENFILE'].map((code) => [code, 'let this process open more files (ulimit -n)'] as const),
]);

/** What is wrong with the state's files, and what a person can do about it. */
export function troubleOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const sqlite = sqliteCode(error);
  const remedy = remedies.get(sqlite === undefined ? code : sqlite % 256); // the rest of it says where
  return remedy === undefined ? messageOf(error) : `${messageOf(error)}: ${remedy}`;
}

/** What to tell people of an error that the database gave. */
export function explained(file: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error; // neither SQLite's nor the file system's
  const code = sqliteCode(error);
  if (code === sqliteCorrupt || code === sqliteNotADatabase) return damaged(file, messageOf(error), error);
  return new UsageError(`${file} can't be used: ${troubleOf(error)}`, { cause: error });
}
