// A mutex per key. Work runs in the order of its calls.

export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` once all earlier work under this key has settled. */
  async take<T>(key: string, work: () => Promise<T> | T): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }

  /** Resolves when no work is left. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values());
  }
}
