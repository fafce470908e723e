// Sets of keys by key, for the indexes. A set that becomes empty is dropped, so that an index is no larger than what it holds.

export class SetMap {
  readonly #sets = new Map<string, Set<string>>();

  add(at: string, key: string): void {
    this.#sets.set(at, (this.#sets.get(at) ?? new Set()).add(key));
  }

  delete(at: string, key: string): void {
    const set = this.#sets.get(at);
    set?.delete(key);
    if (set?.size === 0) this.#sets.delete(at);
  }

  /** A copy, because callers may change the index while they iterate. */
  get(at: string): readonly string[] {
    return [...(this.#sets.get(at) ?? [])];
  }

  /** Removes the set. */
  take(at: string): readonly string[] {
    const keys = this.get(at);
    this.#sets.delete(at);
    return keys;
  }

  /** Number of sets. */
  get size(): number {
    return this.#sets.size;
  }
}
