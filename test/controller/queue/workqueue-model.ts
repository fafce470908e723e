// What the work queue promises, written with sorts and no thought of speed: the reference for its property test.
import type { VisitRequest } from '../../../src/controller/queue/workqueue.ts';

interface ModelWish {
  readonly priority: number;
  readonly readyMs: number;
  readonly order: number;
}
const laneOf = ([key, { priority }]: readonly [string, ModelWish]): string =>
  `${priority} ${key.split('/').slice(1, -1).join()}`;
const byAge = (a: ModelWish, b: ModelWish): number => a.readyMs - b.readyMs || a.order - b.order;

export class QueueModel {
  nowMs: number;
  readonly started: string[] = [];
  readonly waiting = new Map<string, ModelWish>();
  readonly running = new Map<string, ModelWish | undefined>();
  stopped = false;
  /** Priority and namespace → how many had started when it had its last turn. */
  readonly #turns = new Map<string, number>();
  #arrivals = 0;
  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  #merge(into: Map<string, ModelWish | undefined>, key: string, wish: VisitRequest): void {
    const fresh = {
      priority: wish.priority ?? 0,
      readyMs: Math.max(wish.notBeforeMs ?? 0, this.nowMs),
      order: this.#arrivals++,
    };
    const [first] = [fresh, into.get(key) ?? fresh].toSorted(byAge);
    into.set(key, {
      ...(first ?? fresh),
      priority: Math.max(fresh.priority, into.get(key)?.priority ?? -Infinity),
    });
  }

  add(key: string, wish: VisitRequest): void {
    if (this.stopped) return;
    this.#merge(this.running.has(key) ? this.running : this.waiting, key, wish);
  }

  end(key: string, wish: VisitRequest | undefined): void {
    if (wish) this.#merge(this.running, key, wish);
    const again = this.running.get(key);
    this.running.delete(key);
    if (again) this.waiting.set(key, again);
  }

  get ready(): readonly [string, ModelWish][] {
    return [...this.waiting].filter(([, w]) => w.readyMs <= this.nowMs);
  }

  start(workers: number): void {
    while (!this.stopped && this.running.size < workers) {
      const aged = (this.started.length + 1) % 8 === 0;
      const [next] = this.ready.toSorted((a, b) => (aged ? 0 : this.#byTurn(a, b)) || byAge(a[1], b[1]));
      if (next === undefined) return;
      this.waiting.delete(next[0]);
      this.running.set(next[0], undefined);
      this.started.push(next[0]);
      this.#turns.set(laneOf(next), this.started.length);
      if (this.ready.length === 0) this.#turns.clear();
    }
  }

  #byTurn(a: [string, ModelWish], b: [string, ModelWish]): number {
    const turnOf = (one: [string, ModelWish]): number => this.#turns.get(laneOf(one)) ?? 0;
    return b[1].priority - a[1].priority || turnOf(a) - turnOf(b);
  }

  /** running, depth, delayed, nextDueMs */
  get figures(): readonly (number | undefined)[] {
    const later = [...this.waiting.values()].map((w) => w.readyMs).filter((ms) => ms > this.nowMs);
    const next = later.length === 0 ? undefined : Math.min(...later);
    return [this.running.size, this.ready.length, later.length, next];
  }
}
