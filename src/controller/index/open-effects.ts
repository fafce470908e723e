// What objects have open outside (core/kind/kind.ts, `open`), such as a frozen workload. No two objects may have the same thing
// open, because closing one would close the other's. It knows the objects of this process only.

interface Opened {
  readonly names: ReadonlySet<string>;
  /** Deadline for closing it, in milliseconds since 1970. */
  readonly untilMs: number;
}

export class OpenEffects {
  /** Object → what it has open. */
  readonly #opened = new Map<string, Opened>();
  /** Object with something open → the objects that wait for it. */
  readonly #waiting = new Map<string, Set<string>>();

  /** @param untilMs deadline for closing them, in milliseconds since 1970. Absent: not recorded yet */
  add(key: string, names: readonly string[], untilMs = Infinity): void {
    if (names.length > 0) this.#opened.set(key, { names: new Set(names), untilMs });
  }

  has(key: string): boolean {
    return this.#opened.has(key);
  }

  /**
   * @param afterMs in milliseconds since 1970: what has a deadline before that does not count. Absent: everything counts
   * @returns another object that has one of these names open; `key` is then woken when that object has closed it
   */
  other(key: string, names: readonly string[], afterMs = -Infinity): string | undefined {
    const found = [...this.#opened].find(
      ([one, own]) => one !== key && own.untilMs >= afterMs && names.some((name) => own.names.has(name)),
    );
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
