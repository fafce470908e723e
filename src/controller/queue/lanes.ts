// The keys that are ready, by urgency. PURE. The keys of one priority and one namespace form a lane, and the lanes of a priority
// take turns: an edit in one namespace does not wait for thousands of deletions in another.
import { Heap } from './heap.ts';
import { older, type Waiting } from './wish.ts';

interface Lane {
  readonly priority: number;
  readonly keys: Heap<Waiting>;
  /** The number of the last start that came from it. 0: none did. */
  servedAt: number;
}

const isNext = (a: Lane, b: Lane): boolean => {
  if (a.priority !== b.priority) return a.priority > b.priority;
  if (a.servedAt !== b.servedAt) return a.servedAt < b.servedAt;
  const [first, second] = [a.keys.first, b.keys.first];
  return first !== undefined && second !== undefined && older(first, second);
};

/** `PRIORITY NAMESPACE`. Of a key without a namespace, the second is empty. */
const laneOf = ({ key, priority }: Waiting): string =>
  `${priority} ${key.slice(key.indexOf('/') + 1, key.lastIndexOf('/'))}`;

export class Lanes {
  /** Also those that are empty, whose turn is remembered until all are. */
  readonly #lanes = new Map<string, Lane>();
  readonly #waiting = new Heap(isNext);

  get first(): Waiting | undefined {
    return this.#waiting.first?.keys.first;
  }

  push(waiting: Waiting): void {
    const name = laneOf(waiting);
    const lane = this.#lanes.get(name) ?? { priority: waiting.priority, keys: new Heap(older), servedAt: 0 };
    this.#lanes.set(name, lane);
    this.#change(lane, () => lane.keys.push(waiting));
  }

  remove(waiting: Waiting): void {
    const lane = this.#lanes.get(laneOf(waiting));
    if (lane) this.#change(lane, () => lane.keys.remove(waiting));
  }

  /** @param nth number of the start, from 1 */
  serve(waiting: Waiting, nth: number): void {
    const lane = this.#lanes.get(laneOf(waiting));
    if (lane) this.#change(lane, () => (lane.servedAt = nth));
    if (this.#waiting.size === 0) this.#lanes.clear();
  }

  #change(lane: Lane, change: () => void): void {
    this.#waiting.remove(lane);
    change();
    if (lane.keys.size > 0) this.#waiting.push(lane);
  }
}
