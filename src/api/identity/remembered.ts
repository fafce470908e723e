// Caches answers for a while, so that several observations need one request. Bounded: the oldest answer is dropped.
import type { Clock, WallClock } from '../../core/time/clock.ts';

/** A value, and when it was obtained (RFC 3339). */
export interface Dated<T> {
  readonly at: string;
  readonly value: T;
}

interface Known<T> {
  readonly atMs: number;
  readonly dated: Dated<T>;
}

const knownMax = 1_000;

export class Remembered<T> {
  readonly #clock: Pick<Clock, 'nowMs'> & WallClock;
  /** The oldest first. */
  readonly #known = new Map<string, Known<T>>();

  constructor(clock: Pick<Clock, 'nowMs'> & WallClock) {
    this.#clock = clock;
  }

  /**
   * @param name identifies everything that the answer depends on
   * @param freshMs a cached answer younger than this is returned
   */
  async get(name: string, freshMs: number, find: () => Promise<T>): Promise<Dated<T>> {
    const known = this.#known.get(name);
    if (known && this.#clock.nowMs() - known.atMs < freshMs) return known.dated;
    const value = await find();
    const dated = { at: new Date(this.#clock.wallMs()).toISOString(), value };
    this.#known.delete(name);
    this.#known.set(name, { atMs: this.#clock.nowMs(), dated });
    const [oldest] = this.#known.keys();
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest);
    return dated;
  }
}
