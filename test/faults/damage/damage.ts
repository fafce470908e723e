// Damage to what Holdfast remembers: one field of one object, deleted, blanked, or swapped with another object's.
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Row = Readonly<Record<string, string | number>>;

export interface Damage {
  readonly name: string;
  /** Rows as they then are. */
  readonly rows: readonly Row[];
}

/** Of a row, what is known of an object beyond its declaration. */
const columns = ['uid', 'held', 'status'] as const;

const opened = <T>(cwd: string, act: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(join(cwd, '.holdfast/state.sqlite'));
  try {
    return act(database);
  } finally {
    database.close();
  }
};

const rowOf = (database: DatabaseSync, key: string): Row => {
  const row = database.prepare('SELECT key, uid, held, status FROM objects WHERE key = ?').get(key);
  if (!row) throw new Error(`there is no ${key}`);
  // oxlint-disable-next-line no-unsafe-type-assertion -- columns of text and whole numbers
  return row as Row;
};

/** While no process works on it. */
export function inflict(cwd: string, { rows }: Damage): void {
  opened(cwd, (database) => {
    const change = database.prepare('UPDATE objects SET uid = ?, held = ?, status = ? WHERE key = ?');
    for (const { uid, held, status, key } of rows) change.run(uid ?? '', held ?? 0, status ?? '', key ?? '');
  });
}

/** Every way in which one field of `key` can be damaged. @param other of the same kind, to swap with */
export function damagesTo(cwd: string, key: string, other: string): readonly Damage[] {
  const [mine, theirs] = opened(cwd, (database) => [rowOf(database, key), rowOf(database, other)] as const);
  const whole = columns.flatMap((column): Damage[] => {
    const [is, was] = [mine[column] ?? '', theirs[column] ?? ''];
    const blank = { ...mine, [column]: typeof is === 'number' ? 0 : '' };
    const swapped = [
      { ...mine, [column]: was },
      { ...theirs, [column]: is },
    ];
    return [
      ...(column === 'uid' || is === 0 ? [] : [{ name: `${column} blanked`, rows: [blank] }]),
      ...(is === was ? [] : [{ name: `${column} swapped with ${other}`, rows: swapped }]),
    ];
  });
  const [status, others] = [jsonOf(mine), jsonOf(theirs)];
  const remembered = pathsIn(status).flatMap((path): Damage[] => {
    const [is, was] = [at(status, path), at(others, path)];
    const field = path.join('/');
    const [mineWith, theirsWith] = [remembering(mine), remembering(theirs)];
    const blank = blankOf(is ?? null);
    const swapped = [mineWith(put(status, path, was)), theirsWith(put(others, path, is))];
    return [
      { name: `${field} deleted`, rows: [mineWith(put(status, path, undefined))] },
      ...(isDeepStrictEqual(is, blank)
        ? []
        : [{ name: `${field} blanked`, rows: [mineWith(put(status, path, blank))] }]),
      ...(isDeepStrictEqual(is, was) ? [] : [{ name: `${field} swapped with ${other}`, rows: swapped }]),
    ];
  });
  return [...whole, ...remembered];
}

const jsonOf = ({ status }: Row): Json => JSON.parse(String(status));

const remembering =
  (row: Row) =>
  (status: Json): Row => ({ ...row, status: JSON.stringify(status) });

type Path = readonly string[];

/** Of every field, at any depth; of lists their first item stands for all. */
function pathsIn(value: Json, path: Path = []): readonly Path[] {
  if (value === null || typeof value !== 'object') return [];
  const names = Array.isArray(value) ? ['0'].slice(0, value.length) : Object.keys(value);
  return names.flatMap((name) => [[...path, name], ...pathsIn(at(value, [name]) ?? null, [...path, name])]);
}

const at = (value: Json | undefined, [name, ...rest]: Path): Json | undefined => {
  if (name === undefined || value === null || typeof value !== 'object')
    return name === undefined ? value : undefined;
  const own = Object.entries(value).find(([field]) => field === name)?.[1];
  return at(own, rest);
};

/** A copy with another value there; `undefined`: with none. What it would stand in is made. */
function put(value: Json, [name = '', ...rest]: Path, now: Json | undefined): Json {
  const held = value === null || typeof value !== 'object' ? {} : value;
  const next = rest.length === 0 ? now : put(at(held, [name]) ?? null, rest, now);
  if (Array.isArray(held))
    return held.flatMap((item: Json, i) => (String(i) !== name ? [item] : next === undefined ? [] : [next]));
  const others = Object.entries<Json>(held).filter(([field]) => field !== name);
  return Object.fromEntries(next === undefined ? others : [...others, [name, next]]);
}

function blankOf(value: Json): Json {
  if (Array.isArray(value)) return [];
  if (value !== null && typeof value === 'object') return {};
  if (typeof value === 'string') return '';
  return typeof value === 'number' ? 0 : null;
}
