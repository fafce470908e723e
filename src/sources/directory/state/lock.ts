// Lets only one process work on a state. The lock is an open exclusive transaction on a SQLite file of its own. The
// operating system releases it when the process ends, so a SIGKILL leaves nothing to clean up.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../../../core/errors.ts';
import { sqliteCode, troubleOf } from './database.ts';

const sqliteBusy = 5;
/** Longer than the lock is held by who only looks: for a state (runtime/place/state-file.ts), or whether it is held. */
const waitMs = 250;

export interface Lock {
  readonly isHeld: () => boolean;
  /** Never throws, so it hides no error that made somebody give up. */
  release(): void;
}

/**
 * Takes the lock until it is released or the process ends; waits a moment for one that is let go of. Creates the folder if
 * necessary. Keep a reference: an unreferenced lock is garbage-collected, which closes its file.
 * @throws UsageError if another process holds the lock, or the file can't be used
 */
export function acquireLock(file: string): Lock {
  // The pid has its own file: closing any other descriptor of the lock file would drop this process's lock (POSIX).
  const pidFile = `${file}.pid`;
  const database = lockedDatabase(file, pidFile);
  const locked = fileAt(file);
  // Once the file is removed or replaced, another process can lock the next one. While it is open, no other has its inode.
  const isHeld = (): boolean =>
    database.isOpen && database.isTransaction && locked !== undefined && fileAt(file) === locked;
  return {
    isHeld,
    release() {
      try {
        if (isHeld()) rmSync(pidFile, { force: true });
      } catch {
        // It is only read while the lock is held, and whoever takes it next writes another.
      }
      database.close();
    },
  };
}

/** @returns `undefined` if it is not there, or can't be asked for */
function fileAt(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * Whether a process holds the lock. It only reads, so that who may not write, or has no lock yet, changes nothing by asking;
 * who takes the lock at this moment waits for that.
 */
export function isLocked(file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    database.exec('SELECT 1 FROM sqlite_schema');
    return false;
  } catch (error) {
    return sqliteCode(error) === sqliteBusy; // else nobody can hold it: it is not there, or no database
  } finally {
    database?.close();
  }
}

export class StateInUse extends UsageError {}

const whatToDo = 'stop it, or wait until it ends; other manifests need a --state-dir of their own';

function lockedDatabase(file: string, pidFile: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    database = new DatabaseSync(file, { timeout: waitMs });
    database.exec('BEGIN EXCLUSIVE');
    rmSync(pidFile, { force: true }); // in a shared folder it may be a link, which would be followed
    writeFileSync(pidFile, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    return database;
  } catch (error) {
    database?.close();
    if (sqliteCode(error) === sqliteBusy) {
      const held = `${file} is held by another holdfast (pid ${pidIn(pidFile)})`;
      throw new StateInUse(`${held}: ${whatToDo}`, { cause: error });
    }
    throw new UsageError(`${file} can't be locked: ${troubleOf(file, error)}`, { cause: error });
  }
}

function pidIn(pidFile: string): string {
  try {
    return /^\d{1,10}/.exec(readFileSync(pidFile, 'utf8'))?.[0] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
