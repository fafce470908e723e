// The program of the thread that writes the state's file: makes one transaction after the other, each whole or not at
// all, and answers when it stands or why it does not. Waiting for the disk holds up this thread only.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../core/errors.ts';
import { openDatabase } from './database.ts';
import { statements, type Transaction } from './transaction.ts';

/** A transaction as JSON: cloning one takes several times as long. Empty: close the file. */
export type WriterQuestion = string;

/** Why nothing of it was done; `undefined`: all of it was, and survives a crash. */
export type WriterAnswer = string | undefined;

class File {
  readonly #path: string;
  readonly #prepared = new Map<string, StatementSync>();
  #database: DatabaseSync | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  answer(question: WriterQuestion): WriterAnswer {
    try {
      if (question === '') this.#database?.close();
      else this.#make(JSON.parse(question)); // writer.ts made it
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  #make(transaction: Transaction): void {
    const database = (this.#database ??= openDatabase(this.#path, 'write'));
    try {
      database.exec('BEGIN');
      for (const [name, ...values] of transaction) this.#prepare(database, name).run(...values.map(column));
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  #prepare(database: DatabaseSync, name: keyof typeof statements): StatementSync {
    const known = this.#prepared.get(name);
    if (known) return known;
    const statement = database.prepare(statements[name]);
    this.#prepared.set(name, statement);
    return statement;
  }
}

const column = (value: Transaction[number][1]): string | number =>
  typeof value === 'object' ? JSON.stringify(value[0]) : value;

const path: string = workerData; // writer.ts gave it
const file = new File(path);
parentPort?.on('message', (question: WriterQuestion) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(file.answer(question));
});
