// A clock that stands still until it is moved.
import type { Clock } from '../../src/embedded/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

export class ManualClock implements Clock {
  #nowMs: number;
  readonly #timers = new Set<Timer>();

  constructor(nowMs = Date.parse('2026-11-20T00:00:00Z')) {
    this.#nowMs = nowMs;
  }

  /** Timers that have not run. */
  get waiting(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Runs what is due by then, in order. */
  advance(ms: number): void {
    this.#nowMs += ms;
    for (const timer of [...this.#timers].toSorted((a, b) => a.atMs - b.atMs)) {
      if (timer.atMs > this.#nowMs || !this.#timers.delete(timer)) continue;
      timer.run();
    }
  }
}
