// What objects have open outside (core/kind/kind.ts, `open`), such as a frozen workload. No two objects may have the same thing
// open, because closing one would close the other's. It knows the objects of this process only.

export class OpenEffects {
  /** Object → names of what it has open. */
  readonly #opened = new Map<string, ReadonlySet<string>>();
  /** Object with something open → the objects that wait for it. */
  readonly #waiting = new Map<string, Set<string>>();

  add(key: string, names: readonly string[]): void {
    if (names.length > 0) this.#opened.set(key, new Set(names));
  }

  has(key: string): boolean {
    return this.#opened.has(key);
  }

  /** @returns another object that has one of these names open; `key` is then woken when that object has closed it */
  other(key: string, names: readonly string[]): string | undefined {
    const found = [...this.#opened].find(([one, own]) => one !== key && names.some((name) => own.has(name)));
    if (!found) return undefined;
    const [opener] = found;
    this.#waiting.set(opener, (this.#waiting.get(opener) ?? new Set()).add(key));
    return opener;
  }

  /** @returns the objects that waited for this one */
  delete(key: string): Iterable<string> {
    const waiting = this.#waiting.get(key) ?? [];
    this.#opened.delete(key);
    this.#waiting.delete(key);
    return waiting;
  }
}
