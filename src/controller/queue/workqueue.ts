// The work queue: decides which key is reconciled next, and when. It holds keys only, never objects.
import type { Clock } from '../../core/time/clock.ts';
import { WaitingKeys } from './waiting.ts';
import { merge, type Waiting } from './wish.ts';

export interface VisitRequest {
  /** Higher starts first. Default: 0. */
  readonly priority?: number;
  /** Milliseconds on the queue's clock. Default: now. */
  readonly notBeforeMs?: number;
}

/** What the controller asks for, by what woke the object. */
export const priority = { connection: 3, edited: 2, live: 1, listed: 0 } as const;

/** What leaves does so by the thousand, and waits in any case until no more leaves: what people edit meanwhile goes before it. */
export const editedPriority = (isLeaving = false): number => (isLeaving ? priority.live : priority.edited);

/** Reconciles one key and returns when to run it again. It turns its own failures into such requests. */
type Handle = (key: string) => Promise<VisitRequest | undefined>;

export interface QueueObserver {
  added(): void;
  /** @param waitedMs time since the key became ready */
  started(waitedMs: number): void;
  ended(tookMs: number): void;
}

interface Running {
  readonly sinceMs: number;
  /** Requests that arrived while the key runs, merged. */
  again: Waiting | undefined;
}

/** How long (ms) the queue starts runs, or makes due keys ready, before it lets the event loop turn. */
const turnMaxMs = 5;
/**
 * Longest timer (ms). A longer delay takes several, so that a change of the clock is noticed; also, setTimeout overflows at
 * 25 days.
 */
const timerMaxMs = 60_000;

/**
 * The queue guarantees:
 * - A key never runs twice at the same time. A key that is added while it runs, runs exactly once more. No request is lost.
 * - Requests for one key merge: the earliest time and the highest priority win. No key starts before its time.
 * - Of the ready keys, the highest priority starts first; among equals, namespaces take turns, and in each the one that has been
 *   ready longest starts first.
 * - No key starves. Every eighth start goes to the key that has been ready longest, so a key behind n older ones starts
 *   within 8 × (n + 1) starts. Priorities do not grow with age: every edit made during a long backlog would then queue
 *   behind all of the backlog.
 * - The event loop stays responsive: apart from the work of `handle`, the queue blocks it for some 10 ms at most.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #keysMax: number;
  readonly #observer: QueueObserver | undefined;
  readonly #waiting = new WaitingKeys();
  readonly #running = new Map<string, Running>();
  /** What was started since, for each walk of `unstarted`. */
  readonly #walks = new Set<Set<string>>();
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

  /** @param options.keysMax most keys that may wait or run at the same time */
  constructor(options: {
    readonly clock: Clock;
    readonly keysMax: number;
    readonly observer?: QueueObserver;
  }) {
    this.#clock = options.clock;
    this.#keysMax = options.keysMax;
    this.#observer = options.observer;
  }

  get depth(): number {
    return this.#waiting.ready;
  }

  get delayed(): number {
    return this.#waiting.delayed;
  }

  get running(): number {
    return this.#running.size;
  }

  get nextDueMs(): number | undefined {
    return this.#waiting.nextDueMs;
  }

  /** Milliseconds since the oldest run started; 0 if nothing runs. */
  get longestRunMs(): number {
    const [oldest] = this.#running.values(); // insertion order is start order
    return oldest === undefined ? 0 : this.#clock.nowMs() - oldest.sinceMs;
  }

  /**
   * Requests a run of `key`. Nothing starts before the caller yields, so keys added together are merged and ordered as a
   * whole. Does nothing once the queue is stopped.
   * @throws RangeError if `keysMax` other keys are held, or if the time or priority is not finite
   */
  add(key: string, wish: VisitRequest = {}): void {
    if (this.#stopped) return;
    const wanted = this.#stamp(key, wish);
    const run = this.#running.get(key);
    if (run === undefined) this.#admit(wanted);
    else run.again = merge(run.again, wanted);
    this.#observer?.added();
  }

  /** Those of the keys that start no run after the first is taken: for walks that let the event loop turn. */
  *unstarted(keys: Iterable<string>): Generator<string> {
    const started = new Set<string>();
    this.#walks.add(started);
    try {
      for (const key of keys) if (!started.has(key)) yield key;
    } finally {
      this.#walks.delete(started);
    }
  }

  /**
   * Drops the waiting run of a key whose object is gone. Requests made during a running visit are kept: they are newer than
   * the deletion.
   */
  forget(key: string): void {
    this.#waiting.delete(key);
    this.#changed();
  }

  /**
   * Runs up to `workers` keys at the same time until the queue is stopped. Resolves when `stop` does.
   * @throws what `handle` threw or rejected with, which is a bug: nothing starts after it
   */
  run(workers: number, handle: Handle): Promise<void> {
    this.#work = { workers, handle };
    this.#changed();
    return this.#ended.promise;
  }

  /** Starts no more runs. Resolves when the last run has ended. @throws what `run` throws */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    this.#changed();
    return this.#ended.promise;
  }

  /** Resolves once nothing is ready and nothing runs. Keys may still be delayed. */
  idle(): Promise<void> {
    return this.#once(this.#awaitingIdle);
  }

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

  #stamp(key: string, { priority: at = 0, notBeforeMs = 0 }: VisitRequest): Waiting {
    // A NaN would break the heap order for all other keys.
    if (!Number.isFinite(at) || !Number.isFinite(notBeforeMs)) {
      throw new RangeError(`${key}: expected finite numbers, got priority ${at} at ${notBeforeMs}`);
    }
    return {
      key,
      priority: at,
      readyMs: Math.max(notBeforeMs, this.#clock.nowMs()),
      order: this.#arrivals++,
    };
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

  /** Called after every change: resolves `idle`, `busy` and `stop`, and starts what can start. */
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

  /**
   * Runs that end without I/O start the next ones in microtasks, which would keep the event loop from turning until all are
   * done.
   */
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
    for (const started of this.#walks) started.add(key);
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

  /** Makes due keys ready. If time runs out, the timer continues with the rest, after a turn of the event loop. */
  #promote(): void {
    const startMs = this.#clock.nowMs();
    let nowMs = startMs;
    while (nowMs - startMs < turnMaxMs && this.#waiting.promote(nowMs)) nowMs = this.#clock.nowMs();
    this.#changed();
  }
}
