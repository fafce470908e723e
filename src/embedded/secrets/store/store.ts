// The state of the secrets service: shelves of rows in memory. A change is on disk before it is visible.
import { Database, type Change } from '../../database.ts';

/** A row of a commit. Shelves make writes, the store executes them. */
export interface Write extends Change {
  readonly apply: () => void;
}

export class Shelf<T> {
  readonly #name: string;
  readonly #rows = new Map<string, T>();

  /** @param rows not checked, because `put` wrote them */
  constructor(name: string, rows: Iterable<readonly [string, string]>) {
    this.#name = name;
    for (const [key, body] of rows) this.#rows.set(key, JSON.parse(body));
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): T | undefined {
    return this.#rows.get(key);
  }

  rows(): readonly (readonly [string, T])[] {
    return [...this.#rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  put(key: string, row: T): Write {
    const apply = () => void this.#rows.set(key, row);
    return { bucket: this.#name, key, body: () => JSON.stringify(row), apply };
  }

  drop(key: string): Write {
    const apply = () => void this.#rows.delete(key);
    return { bucket: this.#name, key, body: undefined, apply };
  }
}

export class Store {
  readonly #db: Database | undefined;

  /** @throws Error, see Database. Without a file the state ends with the process. */
  constructor(file?: string) {
    this.#db = file === undefined ? undefined : new Database(file);
  }

  shelf<T>(name: string): Shelf<T> {
    return new Shelf<T>(name, this.#db?.rows(name) ?? []);
  }

  /** Commits all writes, or none if the disk throws. */
  commit(...writes: readonly Write[]): void {
    this.#db?.write(writes);
    for (const write of writes) write.apply();
  }

  /** Writes the commits of `work` to the file together. If `work` throws, this store must not be used any more. */
  atomically(work: () => void): void {
    if (this.#db) this.#db.atomically(work);
    else work();
  }

  close(): void {
    this.#db?.close();
  }
}
