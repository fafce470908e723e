// Writes to the state's file as data: the statements that there are, and what a change of a row comes to. Pure.
import type { NextSlot, Row } from './row.ts';

/** Deletion limits are about the last hour. */
export const departuresKeptMs = 3_600_000;

export const statements = {
  setMeta: 'INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)',
  put: `
    INSERT OR REPLACE INTO objects
      (key, uid, generation, origin, hash, requests, overlay, spec, memory, leaving, held, approved)
    VALUES
      (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  mark: 'UPDATE objects SET leaving = ?, held = ?, approved = ? WHERE key = ?',
  remember: 'UPDATE objects SET memory = ?, leaving = ?, held = ?, approved = ? WHERE key = ?',
  remove: 'DELETE FROM objects WHERE key = ?',
  setIncarnation: 'INSERT OR REPLACE INTO incarnations (key, incarnation) VALUES (?, ?)',
  forgetDepartures: 'DELETE FROM released WHERE at < ?',
  depart: 'INSERT INTO released (connection, at, key) VALUES (?, ?, ?)',
} as const;

/** What is stored as JSON: made where it is written, so that one text carries a whole transaction there. */
type Boxed = readonly [json: unknown];

/** A statement and its values. */
export type Operation = readonly [keyof typeof statements, ...(string | number | Boxed)[]];

/** Made whole or not at all, in this order. */
export type Transaction = readonly Operation[];

export interface Write extends NextSlot {
  readonly key: string;
  /** What the file has; `undefined`: nothing, or it can't be told. */
  readonly before: Row | undefined;
}

export function* operationsOf({ key, before, row, incarnation, departed }: Write): Generator<Operation> {
  if (row !== undefined) {
    yield before && sameDeclaration(before, row) ? note(key, before, row) : put(key, row);
    return;
  }
  yield ['remove', key];
  if (incarnation > 0) yield ['setIncarnation', key, incarnation];
  if (departed === undefined) return;
  yield ['forgetDepartures', departed.atMs - departuresKeptMs];
  yield ['depart', departed.connection, departed.atMs, key];
}

/** What makes the file say again what stands under a key, whatever it says now. */
export function* operationsBack(key: string, { row, incarnation }: NextSlot): Generator<Operation> {
  yield row === undefined ? ['remove', key] : put(key, row);
  yield ['setIncarnation', key, incarnation];
}

/** Most writes are about what was done: the declaration need not be written again for that. */
function note(key: string, before: Row, { object, approved, memory }: Row): Operation {
  const marks = [Number(object.deleting), Number(object.held), Number(approved), key] as const;
  return memory === before.memory ? ['mark', ...marks] : ['remember', [memory], ...marks];
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
const put = (key: string, { object, memory, hash, approved, overlay }: Row): Operation => [
  'put',
  key,
  object.uid,
  object.generation,
  object.origin ?? '',
  hash,
  [object.requests],
  [overlay],
  [object.spec],
  [memory],
  Number(object.deleting),
  Number(object.held),
  Number(approved),
];
