// The keys that wait for a run, ordered by due time, priority and age. PURE: time is passed in. Each key is held once, its
// requests merged.
import { Heap } from './heap.ts';

export interface Waiting {
  readonly key: string;
  /** Higher starts first. */
  readonly priority: number;
  /** The key is delayed until then and ready from then on. Milliseconds on the queue's clock. */
  readonly readyMs: number;
  /** Order of arrival: decides between keys that became ready at the same time. */
  readonly order: number;
}

/** Every eighth `take` returns the key that has been ready longest, whatever its priority. */
const agedShare = 8;

const older = (a: Waiting, b: Waiting): boolean =>
  a.readyMs < b.readyMs || (a.readyMs === b.readyMs && a.order < b.order);

const moreUrgent = (a: Waiting, b: Waiting): boolean =>
  a.priority > b.priority || (a.priority === b.priority && older(a, b));

/** The earlier time and the higher priority of both requests. */
export function merge(a: Waiting | undefined, b: Waiting): Waiting {
  if (a === undefined) return b;
  const earliest = older(a, b) ? a : b;
  const priority = Math.max(a.priority, b.priority);
  return earliest.priority === priority ? earliest : { ...earliest, priority };
}

export class WaitingKeys {
  /** All keys. Each is either in `#delayed`, or in both `#byUrgency` and `#byAge`. */
  readonly #byKey = new Map<string, Waiting>();
  readonly #delayed = new Heap(older);
  readonly #byUrgency = new Heap(moreUrgent);
  readonly #byAge = new Heap(older);
  #takes = 0;

  get size(): number {
    return this.#byKey.size;
  }

  get ready(): number {
    return this.#byAge.size;
  }

  get delayed(): number {
    return this.#delayed.size;
  }

  get nextDueMs(): number | undefined {
    return this.#delayed.first?.readyMs;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  add(wanted: Waiting, nowMs: number): void {
    const held = this.#byKey.get(wanted.key);
    const merged = merge(held, wanted);
    if (merged === held) return;
    this.delete(merged.key);
    this.#byKey.set(merged.key, merged);
    if (merged.readyMs <= nowMs) this.#makeReady(merged);
    else this.#delayed.push(merged);
  }

  delete(key: string): void {
    const held = this.#byKey.get(key);
    if (held === undefined) return;
    this.#byKey.delete(key);
    if (this.#delayed.remove(held)) return;
    this.#byUrgency.remove(held);
    this.#byAge.remove(held);
  }

  /** Makes the first delayed key ready if it is due. @returns whether it was */
  promote(nowMs: number): boolean {
    const first = this.#delayed.first;
    if (first === undefined || first.readyMs > nowMs) return false;
    this.#delayed.remove(first);
    this.#makeReady(first);
    return true;
  }

  take(): Waiting | undefined {
    const aged = ++this.#takes % agedShare === 0;
    const next = (aged ? this.#byAge : this.#byUrgency).first;
    if (next !== undefined) this.delete(next.key);
    return next;
  }

  #makeReady(waiting: Waiting): void {
    this.#byUrgency.push(waiting);
    this.#byAge.push(waiting);
  }
}
