// Work on one thing at a time: whoever comes later waits for its turn.

export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` when all that was asked for under this key before has ended, however it ended. */
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

  /** Resolves when nothing is at work. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values());
  }
}
