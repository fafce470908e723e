// A sorted set of keys. A write only notes its key; the next ordered read merges the noted keys, without a sort if they
// are few. So a page of a large table costs only its own length.

/** Up to this share of the keys, inserting is cheaper than sorting. */
const fewShare = 1 / 64;

export class SortedKeys {
  #keys: string[] = [];
  readonly #changed = new Map<string, boolean>();

  add(key: string): void {
    this.#changed.set(key, true);
  }

  remove(key: string): void {
    this.#changed.set(key, false);
  }

  /** Keys from `start` on. The keys must not change during the iteration. */
  *from(start: string): Generator<string> {
    this.#settle();
    const keys = this.#keys;
    for (let at = lowerBound(keys, start); at < keys.length; at++) yield keys[at] ?? '';
  }

  #settle(): void {
    if (this.#changed.size === 0) return;
    if (this.#changed.size > this.#keys.length * fewShare) this.#rebuild();
    else for (const [key, present] of this.#changed) this.#place(key, present);
    this.#changed.clear();
  }

  #rebuild(): void {
    const kept = this.#keys.filter((key) => !this.#changed.has(key));
    const added = [...this.#changed].filter(([, present]) => present).map(([key]) => key);
    this.#keys = [...kept, ...added].toSorted();
  }

  #place(key: string, present: boolean): void {
    const at = lowerBound(this.#keys, key);
    const there = this.#keys[at] === key;
    if (present && !there) this.#keys.splice(at, 0, key);
    if (!present && there) this.#keys.splice(at, 1);
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
