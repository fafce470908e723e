// What is to come, in the order in which it comes: a binary heap, ties in the order in which they were added.

interface Entry<T> {
  readonly at: number;
  readonly nth: number;
  readonly item: T;
}

const isBefore = (a: Entry<unknown>, b: Entry<unknown>): boolean =>
  a.at < b.at || (a.at === b.at && a.nth < b.nth);

export class Queue<T> {
  readonly #heap: Entry<T>[] = [];
  #added = 0;

  add(at: number, item: T): void {
    const entry = { at, nth: this.#added++, item };
    let i = this.#heap.push(entry) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      const above = this.#heap[up];
      if (!above || !isBefore(entry, above)) break;
      this.#heap[i] = above;
      i = up;
    }
    this.#heap[i] = entry;
  }

  /** Takes the first one that is due by then. */
  take(until: number): { readonly at: number; readonly item: T } | undefined {
    const [first] = this.#heap;
    if (!first || first.at > until) return undefined;
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(entry: Entry<T>): void {
    let i = 0;
    for (;;) {
      const [left, right] = [this.#heap[2 * i + 1], this.#heap[2 * i + 2]];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!child || !isBefore(child, entry)) break;
      this.#heap[i] = child;
      i = 2 * i + (isRight ? 2 : 1);
    }
    this.#heap[i] = entry;
  }
}
