// A binary heap that tracks the position of each item. Any item can be removed in O(log n), so the queue keeps no stale
// entries.

export class Heap<T> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #items: T[] = [];
  readonly #places = new Map<T, number>();

  /** @param before a strict order that must not change for items in the heap */
  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** @param item not in the heap yet */
  push(item: T): void {
    this.#items.push(item);
    this.#settle(item, this.#items.length - 1);
  }

  /** @returns whether the item was in the heap */
  remove(item: T): boolean {
    const place = this.#places.get(item);
    if (place === undefined) return false;
    this.#places.delete(item);
    const last = this.#items.pop();
    if (last !== undefined && last !== item) this.#settle(last, place);
    return true;
  }

  /** Places an item, starting at a free position: sifts up, then down. */
  #settle(item: T, from: number): void {
    let place = from;
    for (;;) {
      const above = (place - 1) >> 1;
      const parent = above < 0 ? undefined : this.#items[above];
      if (parent === undefined || !this.#before(item, parent)) break;
      this.#put(parent, place);
      place = above;
    }
    for (;;) {
      const below = this.#firstChild(place);
      const child = this.#items[below];
      if (child === undefined || !this.#before(child, item)) break;
      this.#put(child, place);
      place = below;
    }
    this.#put(item, place);
  }

  #firstChild(place: number): number {
    const left = this.#items[2 * place + 1];
    const right = this.#items[2 * place + 2];
    const rightFirst = left !== undefined && right !== undefined && this.#before(right, left);
    return 2 * place + (rightFirst ? 2 : 1);
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    this.#places.set(item, place);
  }
}
