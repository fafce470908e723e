// Writes to the state's file: transactions through the effect gate, each whole or not at all.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { EffectGate } from '../../api/effect.ts';
import type { EffectInfo } from '../../core/effect.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import type { NextSlot, Row } from './row.ts';

const info: EffectInfo = { port: 'state', op: 'state.commit', mutates: 'repeatable' };

/** Deletion limits are about the last hour. */
export const departuresKeptMs = 3_600_000;

const putRow = `
  INSERT OR REPLACE INTO objects
    (key, uid, generation, origin, hash, requests, overlay, spec, memory, leaving, held, approved)
  VALUES
    (:key, :uid, :generation, :origin, :hash, :requests, :overlay, :spec, :memory, :leaving, :held, :approved)`;

const markRow = 'UPDATE objects SET leaving = ?, held = ?, approved = ? WHERE key = ?';
const rememberRow = 'UPDATE objects SET memory = ?, leaving = ?, held = ?, approved = ? WHERE key = ?';

export interface Write extends NextSlot {
  readonly key: string;
  /** What the file has. */
  readonly before: Row | undefined;
}

export class Writer {
  readonly #file: string;
  readonly #gate: Pick<EffectGate, 'runSync'>;
  readonly #database: DatabaseSync;
  readonly #setMeta: StatementSync;
  readonly #put: StatementSync;
  readonly #mark: StatementSync;
  readonly #remember: StatementSync;
  readonly #remove: StatementSync;
  readonly #setIncarnation: StatementSync;
  readonly #depart: StatementSync;
  readonly #forgetDepartures: StatementSync;

  constructor(file: string, database: DatabaseSync, gate: Pick<EffectGate, 'runSync'>) {
    this.#file = file;
    this.#gate = gate;
    this.#database = database;
    this.#setMeta = database.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
    this.#put = database.prepare(putRow);
    this.#mark = database.prepare(markRow);
    this.#remember = database.prepare(rememberRow);
    this.#remove = database.prepare('DELETE FROM objects WHERE key = ?');
    this.#setIncarnation = database.prepare(
      'INSERT OR REPLACE INTO incarnations (key, incarnation) VALUES (?, ?)',
    );
    this.#depart = database.prepare('INSERT INTO released (connection, at, key) VALUES (?, ?, ?)');
    this.#forgetDepartures = database.prepare('DELETE FROM released WHERE at < ?');
  }

  /**
   * @param committed called as soon as it stands: what follows may still fail, and memory has to agree with the file.
   * @throws ApiError when the file can't be written, or what the gate throws.
   */
  setMeta(name: string, value: string, committed: () => void): void {
    this.#commit(() => this.#setMeta.run(name, value), committed);
  }

  /** Makes all writes in one transaction. Otherwise as `setMeta`. */
  write(writes: readonly Write[], committed: () => void): void {
    this.#commit(() => {
      for (const write of writes) this.#write(write);
    }, committed);
  }

  #write({ key, before, row, incarnation, departed }: Write): void {
    if (row !== undefined) {
      if (before && sameDeclaration(before, row)) this.#note(key, before, row);
      else this.#put.run(encode(key, row));
      return;
    }
    this.#remove.run(key);
    if (incarnation > 0) this.#setIncarnation.run(key, incarnation);
    if (departed === undefined) return;
    this.#forgetDepartures.run(departed.atMs - departuresKeptMs);
    this.#depart.run(departed.connection, departed.atMs, key);
  }

  /** Most writes are about what was done: the declaration need not be written again for that. */
  #note(key: string, before: Row, { object, approved, memory }: Row): void {
    const marks = [Number(object.deleting), Number(object.held), Number(approved), key];
    if (memory === before.memory) this.#mark.run(...marks);
    else this.#remember.run(JSON.stringify(memory), ...marks);
  }

  #commit(act: () => void, committed: () => void): void {
    this.#gate.runSync(info, () => {
      try {
        this.#database.exec('BEGIN');
        act();
        this.#database.exec('COMMIT');
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        const message = `${this.#file} can't be written: ${messageOf(error)}`;
        throw new ApiError('unavailable', 'StateUnavailable', message, { cause: error });
      }
      committed();
    });
  }
}

const sameDeclaration = (a: Row, b: Row): boolean =>
  a.hash === b.hash &&
  a.overlay === b.overlay &&
  a.object.spec === b.object.spec &&
  a.object.requests === b.object.requests &&
  a.object.uid === b.object.uid &&
  a.object.generation === b.object.generation &&
  a.object.origin === b.object.origin;

/** A row as the columns that `decode` in contents.ts reads. */
function encode(key: string, row: Row): Record<string, SQLInputValue> {
  const { object, memory, hash, approved, overlay } = row;
  return {
    key,
    uid: object.uid,
    generation: object.generation,
    origin: object.origin ?? '',
    hash,
    requests: JSON.stringify(object.requests),
    overlay: JSON.stringify(overlay),
    spec: JSON.stringify(object.spec),
    memory: JSON.stringify(memory),
    leaving: Number(object.deleting),
    held: Number(object.held),
    approved: Number(approved),
  };
}
