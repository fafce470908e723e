// Where a state is stored: its lock, its file, and its writer. On a disk, unless a test replaces it.
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { checkLog, createDatabase, openDatabase } from './database.ts';
import type { FileStat } from './distrust.ts';
import { readGeneration, writeGeneration, type Generation } from './generation.ts';
import { acquireLock, type Lock } from './lock.ts';
import { Thread } from '../threads/thread.ts';
import type { WriterAnswer, WriterQuestion } from '../threads/writer-thread.ts';

/** Makes transactions, one after the other. */
export type WriterThread = Pick<Thread<WriterQuestion, WriterAnswer>, 'ask' | 'end' | 'running'>;

export interface Opened {
  readonly database: DatabaseSync;
  /** The file beside it, as before it was opened. */
  readonly beside: Generation | undefined;
  readonly stat: FileStat;
  /** Writes the file beside it durably. */
  readonly note: (generation: Generation) => void;
  close(): void;
}

export interface Storage {
  /** While the state is in use. @throws UsageError if another process holds it */
  lock(): Lock;
  /**
   * Opens a database for reading what was committed; a new state if there is none.
   * @param randomBytes for a new state
   * @throws UsageError if it can't be trusted
   */
  open(randomBytes: (size: number) => Uint8Array): Opened;
  /** @param deadlineMs gives up a transaction that takes longer */
  writer(deadlineMs: number): WriterThread;
}

export const onDisk = (file: string): Storage => ({
  lock: () => acquireLock(join(dirname(file), 'state.lock')),
  open(randomBytes) {
    if (!existsSync(file)) createDatabase(file, randomBytes);
    const beside = readGeneration(file);
    checkLog(file, beside);
    const database = openDatabase(file, 'write'); // fails now if the writer would
    return {
      database,
      beside,
      stat: statSync(file, { bigint: true }),
      note: (generation) => writeGeneration(file, generation),
      close: () => database.close(),
    };
  },
  writer: (deadlineMs) => new Thread({ program: 'writer-thread', workerData: file, deadlineMs }),
});
