// What objects have open outside (core/kind.ts, `open`): no two of them the same. Only objects of this process are known.

export class Opens {
  /** Object → names of what it has open. */
  readonly #opened = new Map<string, ReadonlySet<string>>();
  /** Object → those that wait for it. */
  readonly #waiting = new Map<string, Set<string>>();

  add(key: string, names: readonly string[]): void {
    if (names.length > 0) this.#opened.set(key, new Set(names));
  }

  has(key: string): boolean {
    return this.#opened.has(key);
  }

  /** @returns another object that has one of them open; `key` waits for that */
  other(key: string, names: readonly string[]): string | undefined {
    const found = [...this.#opened].find(([one, own]) => one !== key && names.some((name) => own.has(name)));
    if (!found) return undefined;
    const [opener] = found;
    this.#waiting.set(opener, (this.#waiting.get(opener) ?? new Set()).add(key));
    return opener;
  }

  /** @returns those that waited for it */
  delete(key: string): Iterable<string> {
    const waiting = this.#waiting.get(key) ?? [];
    this.#opened.delete(key);
    this.#waiting.delete(key);
    return waiting;
  }
}
