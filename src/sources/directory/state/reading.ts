// Opens a state for commands that only read it, also where SQLite can't make the files that it works with, such as on a
// read-only mount or a full disk.
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../../../core/errors.ts';
import { hasLog, openDatabase, sqliteCantOpen, sqliteCode, sqliteNoRoomBeside } from './database.ts';

export interface Reading {
  readonly database: DatabaseSync;
  /** Call it after reading. @throws UsageError if a process changed the state meanwhile, and what was read may be wrong */
  check(): void;
  close(): void;
}

/** @throws UsageError if the state is damaged, unreadable, or another program's */
export function openForReading(file: string): Reading {
  try {
    return readingOf(openDatabase(file, 'read'), () => {});
  } catch (error) {
    const code = sqliteCode(error instanceof Error ? error.cause : undefined);
    const isBeside = code === sqliteCantOpen || code === sqliteNoRoomBeside;
    if (!isBeside || !standsAlone(file)) throw error;
    const before = stampOf(file);
    return readingOf(openDatabase(file, 'read alone'), () => {
      if (stampOf(file) === before) return;
      throw new UsageError(`${file} was changed while it was read: run this again`);
    });
  }
}

const readingOf = (database: DatabaseSync, check: () => void): Reading => ({
  database,
  check,
  close: () => database.close(),
});

/** Whether the file holds all of the state. It does unless a process works on it, or was killed. */
const standsAlone = (file: string): boolean => !hasLog(file) && sizeOf(`${file}-journal`) === 0;

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Changes when a process writes to the state. */
function stampOf(file: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs, standsAlone(file)].join(' ');
}
