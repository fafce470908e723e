// The state: tables of rows, an index that rises with every commit, and per table the index of its last commit. Rows
// are immutable. A commit is on disk before it is visible; watchers of a table are called once per turn of the event
// loop.
import { Database, type Change } from '../../database.ts';
import type { Source, EventRecord } from '../events/broker.ts';
import { SortedKeys } from './sorted-keys.ts';

export interface Row {
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
}

/** A row of a commit: `before` is absent for a new row, `after` for a deleted one. */
export interface Changed<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
  /** The type of the event, if the rows don't determine it. */
  readonly as: string | undefined;
}

export type Tell<T> = (change: Changed<T>) => readonly EventRecord[];

/** A table, as the store sees it. */
interface Touchable {
  readonly name: string;
  touched(index: number): void;
  tellWatchers(): void;
}

/** A row of a commit. Tables make writes, the store executes them. */
export interface Write extends Change, Source {
  readonly table: Touchable;
  readonly apply: () => void;
}

/** The index of a table that was never written. */
export const firstIndex = 1;

export class Table<T extends Row> {
  readonly name: string;
  readonly #rows = new Map<string, T>();
  readonly #keys = new SortedKeys();
  readonly #watchers = new Set<() => void>();
  #index = firstIndex;
  #tell: Tell<T> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get index(): number {
    return this.#index;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): T | undefined {
    return this.#rows.get(key);
  }

  /** In order of creation. */
  rows(): Iterable<T> {
    return this.#rows.values();
  }

  *from(start: string): Generator<T> {
    for (const key of this.#keys.from(start)) {
      const row = this.#rows.get(key);
      if (row) yield row;
    }
  }

  /** Makes the events of later changes with `tell`. */
  tell(tell: Tell<T>): void {
    this.#tell = tell;
  }

  /** @param as type of the event, if the rows don't determine it */
  put(key: string, row: T, as?: string): Write {
    const apply = () => {
      if (!this.#rows.has(key)) this.#keys.add(key);
      this.#rows.set(key, row);
    };
    const events = this.#changed(key, row, as);
    return { table: this, bucket: this.name, key, body: () => JSON.stringify(row), apply, events };
  }

  drop(key: string): Write {
    const apply = () => {
      if (this.#rows.delete(key)) this.#keys.remove(key);
    };
    const events = this.#rows.has(key) ? this.#changed(key, undefined) : undefined;
    return { table: this, bucket: this.name, key, body: undefined, apply, events };
  }

  #changed(key: string, after: T | undefined, as?: string): Write['events'] {
    const tell = this.#tell;
    const before = this.#rows.get(key);
    return tell && (() => tell({ before, after, as }));
  }

  /** Calls `tell` after commits to this table. @returns a function that ends the calls */
  watch(tell: () => void): () => void {
    this.#watchers.add(tell);
    return () => this.#watchers.delete(tell);
  }

  /** For the store: called after each commit to this table. */
  touched(index: number): void {
    this.#index = index;
  }

  /** For the store. */
  tellWatchers(): void {
    for (const tell of this.#watchers) tell();
  }

  /** For the store. The bodies are not checked, because `put` wrote them. */
  load(rows: Iterable<readonly [string, string]>): void {
    const loaded = Array.from(rows, ([key, body]): [string, T] => {
      const row: T = JSON.parse(body);
      return [key, row];
    });
    for (const [key, row] of loaded.toSorted(([, a], [, b]) => a.CreateIndex - b.CreateIndex)) {
      this.#rows.set(key, row);
      this.#keys.add(key);
    }
  }
}

const indexes = 'index';

type Follow = (index: number, writes: readonly Write[]) => void;

export class Store {
  readonly #db: Database | undefined;
  readonly #pending = new Set<Touchable>();
  #index = firstIndex;
  #closed = false;
  #follow: Follow = () => {};

  /** @throws Error, see Database. Without a file the state ends with the process. */
  constructor(file?: string) {
    this.#db = file === undefined ? undefined : new Database(file);
  }

  get index(): number {
    return this.#index;
  }

  table<T extends Row>(name: string): Table<T> {
    const table = new Table<T>(name);
    if (this.#db) {
      table.load(this.#db.rows(name));
      for (const [key, index] of this.#db.rows(indexes)) {
        if (key === name) table.touched(Number(index));
        this.#index = Math.max(this.#index, Number(index));
      }
    }
    return table;
  }

  /** Commits all writes of `change`, or none if it or the disk throws. @returns the index of the commit */
  commit(change: (index: number) => readonly Write[]): number {
    const index = this.#index + 1;
    const writes = change(index);
    const tables = new Set(writes.map((write) => write.table));
    const body = () => String(index);
    const marks = Array.from(tables, ({ name }): Change => ({ bucket: indexes, key: name, body }));
    this.#db?.write([...writes, ...marks]);
    this.#index = index;
    for (const write of writes) write.apply();
    for (const table of tables) {
      table.touched(index);
      this.#tellLater(table);
    }
    this.#follow(index, writes);
    return index;
  }

  follow(follow: Follow): void {
    this.#follow = follow;
  }

  /** Upserts a row, with further writes in the same commit. @returns the row */
  put<R extends Row>(
    table: Table<R>,
    key: string,
    make: (indexes: Row) => R,
    more: (index: number) => readonly Write[] = () => [],
  ): R {
    const index = this.#index + 1;
    const row = make({ CreateIndex: table.get(key)?.CreateIndex ?? index, ModifyIndex: index });
    this.commit(() => [table.put(key, row), ...more(index)]);
    return row;
  }

  /** Writes the commits of `work` to the file together. If `work` throws, this store must not be used any more. */
  atomically(work: () => void): void {
    if (this.#db) this.#db.atomically(work);
    else work();
  }

  #tellLater(table: Touchable): void {
    if (this.#pending.size === 0) setImmediate(() => this.#tellAll());
    this.#pending.add(table);
  }

  #tellAll(): void {
    const tables = [...this.#pending];
    this.#pending.clear();
    if (!this.#closed) for (const table of tables) table.tellWatchers();
  }

  close(): void {
    this.#closed = true;
    this.#db?.close();
  }
}
