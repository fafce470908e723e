// The work queue says which key is looked at next, and when. It holds keys, never objects.
//
// - A key never runs twice at once; a key added while it runs runs exactly once more; no wish is lost.
// - Wishes for one key merge: the earliest time and the highest priority win. Nothing starts before its time.
// - The highest priority starts first; within one, the key that has been ready longest.
// - Nothing starves: every eighth start goes to the key that has been ready longest, whatever its priority, so a ready
//   key with n older ones starts within 8 × (n + 1) starts. Priorities don't grow with age instead, because then each
//   edit made during a long backlog would queue behind all of it.
// - The event loop gets its turn: besides what `handle` does by itself, the queue holds it for some 10 ms at most.
import type { Clock } from '../../core/clock.ts';
import { merge, WaitingKeys, type Waiting } from './waiting.ts';

/** What is wanted of a key's next run. */
export interface VisitRequest {
  /** Higher starts first. Absent: 0. */
  readonly priority?: number;
  /** On the queue's clock. Absent: at once. */
  readonly notBeforeMs?: number;
}

/** Looks at one key and says when it wants to be looked at again unasked. Turns failures into wishes. */
type Handle = (key: string) => Promise<VisitRequest | undefined>;

/** Is told what metrics need and the figures don't show. */
export interface QueueObserver {
  added(): void;
  /** @param waitedMs since the key was ready. */
  started(waitedMs: number): void;
  ended(tookMs: number): void;
}

interface Running {
  readonly sinceMs: number;
  /** Wished for since it started. */
  again: Waiting | undefined;
}

/** How long the queue goes on starting runs, or moving due keys, before the event loop gets a turn. */
const turnMaxMs = 5;
/** Longer delays take several timers: a clock that was set is noticed, and setTimeout overflows at 25 days. */
const timerMaxMs = 60_000;

export class WorkQueue {
  readonly #clock: Clock;
  readonly #keysMax: number;
  readonly #observer: QueueObserver | undefined;
  readonly #waiting = new WaitingKeys();
  readonly #running = new Map<string, Running>();
  readonly #awaitingIdle: (() => void)[] = [];
  readonly #awaitingBusy: (() => void)[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #work: { readonly workers: number; readonly handle: Handle } | undefined;
  #stopped = false;
  #arrivals = 0;
  #pumpScheduled = false;
  #turnSinceMs: number | undefined;
  #timerAtMs = Infinity;
  #cancelTimer = (): void => {};

  /** @param options.keysMax how many keys may wait and run together. */
  constructor(options: {
    readonly clock: Clock;
    readonly keysMax: number;
    readonly observer?: QueueObserver;
  }) {
    this.#clock = options.clock;
    this.#keysMax = options.keysMax;
    this.#observer = options.observer;
  }

  /** How many keys could start now if a worker were free. */
  get depth(): number {
    return this.#waiting.ready;
  }

  /** How many keys wait for their time. */
  get delayed(): number {
    return this.#waiting.delayed;
  }

  get running(): number {
    return this.#running.size;
  }

  /** When the first delayed key becomes ready. */
  get nextDueMs(): number | undefined {
    return this.#waiting.nextDueMs;
  }

  /** How long the oldest run has been going on; 0 when nothing runs. */
  get longestRunMs(): number {
    const [oldest] = this.#running.values(); // in the order of their starts
    return oldest === undefined ? 0 : this.#clock.nowMs() - oldest.sinceMs;
  }

  /**
   * Wishes for a run of `key`. Nothing starts before the caller's own turn has ended, so what is told in one go is
   * merged and ordered as a whole. Once stopped, this does nothing.
   * @throws RangeError when `keysMax` other keys are held already, or for a time or priority that is no number.
   */
  add(key: string, wish: VisitRequest = {}): void {
    if (this.#stopped) return;
    const wanted = this.#stamp(key, wish);
    const run = this.#running.get(key);
    if (run === undefined) this.#admit(wanted);
    else run.again = merge(run.again, wanted);
    this.#observer?.added();
  }

  /** Drops what waits for a key whose object is gone. What is wished for while it runs stays: it is news. */
  forget(key: string): void {
    this.#waiting.delete(key);
    this.#changed();
  }

  /**
   * Runs up to `workers` keys at once, until stopped. Resolves when `stop` does.
   * @throws what `handle` threw or rejected with: that is a bug, after which nothing starts any more.
   */
  run(workers: number, handle: Handle): Promise<void> {
    this.#work = { workers, handle };
    this.#changed();
    return this.#ended.promise;
  }

  /** Starts no more; resolves when the last run has ended. Throws what `run` does. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    this.#changed();
    return this.#ended.promise;
  }

  /** Resolves once nothing is ready and nothing runs; keys may still be delayed. */
  idle(): Promise<void> {
    return this.#once(this.#awaitingIdle);
  }

  /** Resolves once something is ready or runs. */
  busy(): Promise<void> {
    return this.#once(this.#awaitingBusy);
  }

  #once(awaiting: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      awaiting.push(resolve);
      this.#tell();
    });
  }

  #tell(): void {
    const awaiting = this.depth + this.running === 0 ? this.#awaitingIdle : this.#awaitingBusy;
    for (const resolve of awaiting.splice(0)) resolve();
  }

  #stamp(key: string, { priority = 0, notBeforeMs = 0 }: VisitRequest): Waiting {
    // One NaN would put the heaps out of order for every other key.
    if (!Number.isFinite(priority) || !Number.isFinite(notBeforeMs)) {
      throw new RangeError(`${key}: expected finite numbers, got priority ${priority} at ${notBeforeMs}`);
    }
    return { key, priority, readyMs: Math.max(notBeforeMs, this.#clock.nowMs()), order: this.#arrivals++ };
  }

  #admit(wanted: Waiting): void {
    if (this.#waiting.size + this.running >= this.#keysMax && !this.#waiting.has(wanted.key)) {
      throw new RangeError(
        `${wanted.key}: expected at most ${this.#keysMax} keys in the queue, got one more`,
      );
    }
    this.#waiting.add(wanted, this.#clock.nowMs());
    this.#changed();
  }

  /** Whatever waits or runs has changed: tells who awaits it, and sees to it that what can start does. */
  #changed(): void {
    this.#tell();
    if (this.#stopped) {
      if (this.running === 0) this.#ended.resolve();
      return;
    }
    this.#armTimer();
    this.#schedulePump();
  }

  #schedulePump(): void {
    if (this.#pumpScheduled) return;
    this.#pumpScheduled = true;
    queueMicrotask(() => {
      this.#pumpScheduled = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#work === undefined) return;
    const { workers, handle } = this.#work;
    while (!this.#stopped && this.running < workers && this.depth > 0 && this.#mayGoOn()) {
      const next = this.#waiting.take();
      if (next !== undefined) void this.#start(next, handle);
    }
  }

  /** Runs that end without I/O are followed by others in microtasks: the event loop would not turn until all are done. */
  #mayGoOn(): boolean {
    const nowMs = this.#clock.nowMs();
    if (this.#turnSinceMs === undefined) {
      this.#turnSinceMs = nowMs;
      this.#clock.setTimer(0, () => {
        this.#turnSinceMs = undefined;
        this.#changed();
      });
    }
    return nowMs - this.#turnSinceMs < turnMaxMs;
  }

  async #start({ key, readyMs }: Waiting, handle: Handle): Promise<void> {
    const sinceMs = this.#clock.nowMs();
    const run: Running = { sinceMs, again: undefined };
    this.#running.set(key, run);
    try {
      this.#observer?.started(sinceMs - readyMs);
      this.#finish(key, run, await handle(key));
    } catch (error) {
      this.#ended.reject(error);
      void this.stop();
    }
  }

  #finish(key: string, run: Running, wish: VisitRequest | undefined): void {
    const next = wish === undefined ? run.again : merge(run.again, this.#stamp(key, wish));
    const nowMs = this.#clock.nowMs();
    this.#running.delete(key);
    if (next !== undefined) this.#waiting.add(next, nowMs);
    this.#observer?.ended(nowMs - run.sinceMs);
    this.#changed();
  }

  /** One timer serves all delays. */
  #armTimer(): void {
    const dueMs = this.nextDueMs;
    if (dueMs === undefined || dueMs >= this.#timerAtMs) return;
    this.#cancelTimer();
    this.#timerAtMs = dueMs;
    const delayMs = Math.min(Math.max(dueMs - this.#clock.nowMs(), 0), timerMaxMs);
    this.#cancelTimer = this.#clock.setTimer(delayMs, () => {
      this.#timerAtMs = Infinity;
      this.#promote();
    });
  }

  /** Makes due keys ready; what is left of them after a turn's time gets a timer, and so a turn, of its own. */
  #promote(): void {
    const startMs = this.#clock.nowMs();
    let nowMs = startMs;
    while (nowMs - startMs < turnMaxMs && this.#waiting.promote(nowMs)) nowMs = this.#clock.nowMs();
    this.#changed();
  }
}
