// A work queue to take apart: time and the ends of runs are in the test's hands.
import { expect } from 'vitest';
import { WorkQueue, type VisitRequest } from '../../../src/controller/queue/workqueue.ts';
import type { Clock } from '../../../src/core/time/clock.ts';

/** Time moves when a test says so, and by `tickMs` whenever it is asked for. */
export class TestClock implements Clock {
  tickMs = 0;
  longestTimerMs = 0;
  #now = 1_000_000;
  readonly #timers = new Set<{ readonly atMs: number; readonly fire: () => void }>();

  nowMs(): number {
    this.#now += this.tickMs;
    return this.#now;
  }

  setTimer(ms: number, fire: () => void): () => void {
    if (!(ms >= 0)) throw new RangeError(`a delay of ${ms} ms: Node would warn of it`);
    const timer = { atMs: this.#now + ms, fire };
    this.longestTimerMs = Math.max(this.longestTimerMs, ms);
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Moves time without letting timers fire, as when a process is held up. */
  set(ms: number): void {
    this.#now += ms;
  }

  /** Fires the first timer, early or not. */
  fireFirst(): void {
    const [first] = [...this.#timers].toSorted((a, b) => a.atMs - b.atMs);
    if (first === undefined) return;
    this.#timers.delete(first);
    first.fire();
  }

  advance(ms: number): void {
    const untilMs = this.#now + ms;
    for (;;) {
      const [first] = [...this.#timers].filter((t) => t.atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs);
      if (first === undefined) break;
      this.#timers.delete(first);
      this.#now = Math.max(this.#now, first.atMs);
      first.fire();
    }
    this.#now = untilMs;
  }
}

/** Lets everything happen that can without time passing. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue whose runs end when the test says so. */
export function bench(options: { readonly keysMax?: number } = {}) {
  const clock = new TestClock();
  const queue = new WorkQueue({ clock, keysMax: options.keysMax ?? 1000 });
  const started: string[] = [];
  const ends = new Map<string, (wish?: VisitRequest) => void>();
  const handle = (key: string): Promise<VisitRequest | undefined> => {
    expect(ends.has(key), `${key} runs twice at once`).toBe(false);
    started.push(key);
    return new Promise((resolve) => {
      ends.set(key, (wish) => {
        ends.delete(key);
        resolve(wish);
      });
    });
  };
  const run = (workers: number): Promise<void> => queue.run(workers, handle);
  const end = async (key: string, wish?: VisitRequest): Promise<void> => {
    const resolve = ends.get(key);
    if (resolve === undefined) throw new Error(`${key} does not run`);
    resolve(wish);
    await settle();
  };
  return { clock, queue, started, ends, run, end };
}
