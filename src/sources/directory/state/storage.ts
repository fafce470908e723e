// Where a state lies: its lock, its file, and who writes it. On a disk, unless somebody else is wanted.
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

/** A state that was found, or made. */
export interface Opened {
  readonly database: DatabaseSync;
  /** What lay beside it before it was opened. */
  readonly beside: Generation | undefined;
  /** Of its file. */
  readonly stat: FileStat;
  /** Writes for good what lies beside it from now on. */
  readonly note: (generation: Generation) => void;
  close(): void;
}

export interface Storage {
  /** For as long as the state is used. @throws UsageError when somebody else holds it */
  lock(): Lock;
  /**
   * What was committed so far, to be read and closed; an empty state where there is none.
   * @param randomBytes asked when one is made
   * @throws UsageError when it can't be trusted
   */
  open(randomBytes: (size: number) => Uint8Array): Opened;
  /** @param deadlineMs one that takes longer on a transaction is given up */
  writer(deadlineMs: number): WriterThread;
}

export const onDisk = (file: string): Storage => ({
  lock: () => acquireLock(join(dirname(file), 'state.lock')),
  open(randomBytes) {
    if (!existsSync(file)) createDatabase(file, randomBytes);
    const beside = readGeneration(file);
    checkLog(file, beside);
    const database = openDatabase(file, 'write'); // tells now what would keep the writer from it
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
