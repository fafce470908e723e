// Abstracts where a state is stored: its lock, its file and its writer. Tests replace the disk by another storage.
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isThere } from './access.ts';
import { checkLog, createDatabase, openDatabase } from './database.ts';
import { fileIdOf, type FileStat } from './distrust.ts';
import { readGeneration, writeGeneration, type Generation } from './generation.ts';
import { acquireLock, type Lock } from './lock.ts';
import { Thread } from '../threads/thread.ts';
import type { WrittenFile, WriterAnswer, WriterQuestion } from '../threads/writer-thread.ts';

/** Executes transactions one after the other. */
export type WriterThread = Pick<Thread<WriterQuestion, WriterAnswer>, 'ask' | 'end' | 'running'>;

export interface Opened {
  readonly database: DatabaseSync;
  /** The generation file, as it was before the state was opened. */
  readonly beside: Generation | undefined;
  readonly stat: FileStat;
  /** Writes the generation file durably. */
  readonly note: (generation: Generation) => void;
  close(): void;
}

export interface Storage {
  /** Locks the state until it is released. @throws UsageError if another process holds the lock */
  lock(): Lock;
  /**
   * Opens a database for reading what was committed; creates a state if there is none.
   * @param randomBytes for a new state
   * @throws UsageError if the state can't be trusted
   */
  open(randomBytes: (size: number) => Uint8Array): Opened;
  /**
   * Writes to the file that was opened, and to no other.
   * @param deadlineMs a transaction that takes longer is given up
   */
  writer(deadlineMs: number): WriterThread;
}

/** A thread holds 12 MiB. The first write after such a pause waits until another one has started. */
const writerIdleMs = 10_000;

export const lockFile = (file: string): string => join(dirname(file), 'state.lock');

/** @param idleMs after which the writer ends, until it is needed again */
export function onDisk(file: string, idleMs = writerIdleMs): Storage {
  const written = { path: file, id: '' };
  return {
    lock: () => acquireLock(lockFile(file)),
    open(randomBytes) {
      if (!isThere(file)) createDatabase(file, randomBytes);
      const beside = readGeneration(file);
      checkLog(file, beside);
      const database = openDatabase(file, 'write'); // fails now if the writer would fail later
      const stat = statSync(file, { bigint: true });
      written.id = fileIdOf(stat);
      return {
        database,
        beside,
        stat,
        note: (generation) => writeGeneration(file, generation),
        close: () => database.close(),
      };
    },
    writer: (deadlineMs) =>
      new Thread({
        program: 'writer-thread',
        workerData: written satisfies WrittenFile,
        deadlineMs,
        idle: { ms: idleMs, question: '' },
      }),
  };
}
