// Slows down what others cause who write the statuses of our objects again and again. Two operators that choose one object and
// see different things of it contradict each other: each write of the one would have the other one write at once, without end.
import { backoffMs } from '../../core/time/backoff.ts';
import type { Clock } from '../../core/time/clock.ts';

/** So many are told at once. A person, or a tool that strips statuses, writes no more than these. */
const promptly = 3;
/** After so long without one, it begins anew. */
const quietMs = 600_000;
const backoff = { baseMs: 1_000, capMs: 60_000 };
const knownMax = 10_000;

interface Known {
  readonly count: number;
  readonly lastMs: number;
}

export interface RewritesOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly tell: (key: string) => void;
}

export class Rewrites {
  readonly #options: RewritesOptions;
  /** By key, ordered by time. The oldest are forgotten. */
  readonly #known = new Map<string, Known>();
  /** Objects to be told of → what cancels that. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: RewritesOptions) {
    this.#options = options;
  }

  /** Records that another writer changed the status of an object. */
  seen(key: string): void {
    if (this.#waiting.has(key)) return;
    const { clock, random, tell } = this.#options;
    const before = this.#known.get(key);
    const isSeries = before !== undefined && clock.nowMs() - before.lastMs < quietMs;
    const count = isSeries ? before.count + 1 : 1;
    this.#note(key, count);
    if (count <= promptly) return tell(key);
    const cancel = clock.setTimer(backoffMs(count - promptly, random(), backoff), () => {
      this.#waiting.delete(key);
      this.#note(key, count);
      tell(key);
    });
    this.#waiting.set(key, cancel);
  }

  stop(): void {
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  #note(key: string, count: number): void {
    this.#known.delete(key);
    this.#known.set(key, { count, lastMs: this.#options.clock.nowMs() });
    const [oldest = key] = this.#known.keys();
    if (this.#known.size > knownMax) this.#known.delete(oldest);
  }
}
