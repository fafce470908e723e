// Describes writes to the state's file as data: the statements, and the operations for a change of a row. Pure.
import type { Stamp } from './boot.ts';
import { filesTable } from './database.ts';
import type { ReadingChanges } from '../tree/stored-reading.ts';
import type { RecentDeletion, NextSlot, Row, Slot } from './row.ts';

export const statements = {
  setMeta: 'INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)',
  forgetMeta: 'DELETE FROM meta WHERE name = ?',
  put: `
    INSERT OR REPLACE INTO objects
      (key, uid, generation, origin, hash, requests, overlay, askers, answered, spec, status, leaving, held, approved,
       labels, created)
    VALUES
      (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  mark: 'UPDATE objects SET generation = ?, leaving = ?, held = ?, approved = ? WHERE key = ?',
  remember:
    'UPDATE objects SET status = ?, generation = ?, leaving = ?, held = ?, approved = ? WHERE key = ?',
  remove: 'DELETE FROM objects WHERE key = ?',
  restampDeletions: 'UPDATE released SET boot = ?, bootMs = ? WHERE boot <> ? OR bootMs > ?',
  forgetDeletions: 'DELETE FROM released WHERE id < ?',
  makeFiles: filesTable,
  putFile: 'INSERT OR REPLACE INTO files (origin, digest, program, objects, sum) VALUES (?, ?, ?, ?, ?)',
  forgetFile: 'DELETE FROM files WHERE origin = ?',
  forgetFilesOfOthers: 'DELETE FROM files WHERE program <> ?',
  recordDeletion:
    'INSERT OR REPLACE INTO released (id, connection, key, boot, bootMs) VALUES (?, ?, ?, ?, ?)',
} as const;

/** A value stored as JSON. It is serialized where it is written, so that one text carries a whole transaction. */
type Boxed = readonly [json: unknown];

/** Ends every transaction. Returns the number of transactions. */
export const countCommit =
  "UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE name = 'commits' RETURNING value";

export type Operation = readonly [keyof typeof statements, ...(string | number | Boxed)[]];

/** Executed completely or not at all, in this order. */
export type Transaction = readonly Operation[];

export interface StoredDeletion extends Omit<RecentDeletion, 'again'>, Stamp {
  readonly id: number;
  readonly key: string;
}

export interface Write extends Omit<NextSlot, 'deletion'> {
  readonly key: string;
  /** The row in the file; `undefined`: missing or unknown. */
  readonly before: Row | undefined;
  readonly deletion?: StoredDeletion & {
    /** Rows before this one are of an earlier hour. */ readonly keptFrom: number;
  };
}

export function* operationsOf({ key, before, row, deletion }: Write): Generator<Operation> {
  if (row !== undefined) {
    yield before && sameDeclaration(before, row) ? note(key, before, row) : put(key, row);
  } else yield ['remove', key];
  if (deletion === undefined) return;
  yield ['forgetDeletions', deletion.keptFrom];
  const { id, connection, boot, bootMs } = deletion;
  yield ['recordDeletion', id, connection, key, boot, bootMs];
}

/** Bounds a transaction, as for objects (commit-queue.ts). */
const readingsPerCommit = 500;

/**
 * Stores what files declared. States of earlier programs have no table for it, and are whole without it: it holds nothing
 * that can't be found again.
 */
export function* readingTransactions({ program, learnt, dropped }: ReadingChanges): Generator<Transaction> {
  const changes: readonly Operation[] = [
    ...Array.from(learnt, ([origin, { digest, objects, sum }]): Operation => [
      'putFile',
      origin,
      digest,
      program,
      objects,
      sum,
    ]),
    ...dropped.map((origin): Operation => ['forgetFile', origin]),
  ];
  for (let at = 0; at < changes.length; at += readingsPerCommit) {
    const part = changes.slice(at, at + readingsPerCommit);
    yield [['makeFiles'], ['forgetFilesOfOthers', program], ...part];
  }
}

/** Restores the stored row of a key in the file, whatever the file holds now. */
export function* operationsBack(key: string, { row }: Slot): Generator<Operation> {
  yield row === undefined ? ['remove', key] : put(key, row);
}

/** Writes the status and the marks only: most writes leave the declaration as it is. */
function note(key: string, before: Row, { object, approved, status }: Row): Operation {
  const { generation, deleting, held } = object;
  const marks = [generation, Number(deleting), Number(held), approved, key] as const;
  return status === before.status ? ['mark', ...marks] : ['remember', [status], ...marks];
}

const sameDeclaration = (a: Row, b: Row): boolean =>
  a.hash === b.hash &&
  a.overlay === b.overlay &&
  a.askers === b.askers &&
  a.answered === b.answered &&
  a.object.spec === b.object.spec &&
  a.object.requests === b.object.requests &&
  a.object.labels === b.object.labels &&
  a.object.uid === b.object.uid &&
  a.object.origin === b.object.origin;

/** A row as the columns that `decode` in contents.ts reads. */
const put = (
  key: string,
  { object, status, hash, approved, overlay, askers = {}, answered }: Row,
): Operation => [
  'put',
  key,
  object.uid,
  object.generation,
  object.origin ?? '',
  hash,
  [object.requests],
  [overlay],
  [askers],
  [answered],
  [object.spec],
  [status],
  Number(object.deleting),
  Number(object.held),
  approved,
  [object.labels ?? {}],
  object.createdAt ?? '',
];
