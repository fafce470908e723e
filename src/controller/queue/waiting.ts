// The keys that wait for a run, ordered by due time, priority and age. PURE: time is passed in. Each key is held once, its
// requests merged.
import { Heap } from './heap.ts';
import { Lanes } from './lanes.ts';
import { merge, older, type Waiting } from './wish.ts';

/** Every eighth `take` returns the key that has been ready longest, whatever its priority. */
const agedShare = 8;

export class WaitingKeys {
  /** All keys. Each is either in `#delayed`, or in both `#byUrgency` and `#byAge`. */
  readonly #byKey = new Map<string, Waiting>();
  readonly #delayed = new Heap(older);
  readonly #byUrgency = new Lanes();
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
    if (next === undefined) return undefined;
    this.delete(next.key);
    this.#byUrgency.serve(next, this.#takes);
    return next;
  }

  #makeReady(waiting: Waiting): void {
    this.#byUrgency.push(waiting);
    this.#byAge.push(waiting);
  }
}
