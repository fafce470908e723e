// The port that the page reads through, over objects that a test sets; and a clock that a test moves.
import { noStatus, type Status, type Condition } from '../../src/core/status/status.ts';
import type { Clock, WallClock } from '../../src/core/time/clock.ts';
import type { ConditionStatus } from '../../src/core/status/condition.ts';
import type { Problem } from '../../src/core/text/problem.ts';
import { keyText, type Key } from '../../src/core/resource.ts';
import type { ObjectView, View } from '../../src/core/status/view.ts';

export const nowMs = Date.parse('2026-11-20T12:00:00Z');

export class FakeView implements View {
  readonly startedAtMs = nowMs - 3_600_000;
  readonly version = '0.1.0-test';
  readonly #objects = new Map<string, ObjectView>();
  readonly #told = new Set<(key: string) => void>();

  keys(): Iterable<string> {
    return this.#objects.keys();
  }
  /** Of the files. */
  wrong: readonly Problem[] = [];
  problems(): readonly Problem[] {
    return this.wrong;
  }
  /** Of the state. */
  refused: string | undefined;
  refusal(): string | undefined {
    return this.refused;
  }
  object(key: string): ObjectView | undefined {
    return this.#objects.get(key);
  }
  subscribe(changed: (key: string) => void): () => void {
    this.#told.add(changed);
    return () => this.#told.delete(changed);
  }
  get subscribers(): number {
    return this.#told.size;
  }

  set(object: ObjectView): void {
    this.#objects.set(keyText(object.key), object);
    for (const tell of this.#told) tell(keyText(object.key));
  }
  delete(key: string): void {
    this.#objects.delete(key);
    for (const tell of this.#told) tell(key);
  }
}

export const keyOf = (name: string, kind = 'CSIVolume', namespace = 'shop'): Key => ({
  kind,
  namespace,
  name,
});

export const condition = (
  type: string,
  status: ConditionStatus,
  reason: string,
  message = '',
): Condition => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: '2026-11-20T10:00:00.000Z',
});

export const memoryOf = (memory: Partial<Status>): Status => ({ ...noStatus, ...memory });

export const ready: readonly Condition[] = [
  condition('Ready', 'True', 'InSync'),
  condition('Synced', 'True', 'InSync'),
];

export const stalled = (reason: string, message: string): readonly Condition[] => [
  condition('Ready', 'False', reason, message),
  condition('Stalled', 'True', reason, message),
];

export function objectView(key: Key, more: Partial<ObjectView> = {}): ObjectView {
  const memory = memoryOf({ conditions: ready, observedGeneration: 1 });
  return { key, generation: 1, deleting: false, waitsFor: [], status: memory, ...more };
}

export const withConditions = (key: Key, conditions: readonly Condition[]): ObjectView =>
  objectView(key, { status: memoryOf({ conditions, observedGeneration: 1 }) });

interface Timer {
  readonly atMs: number;
  readonly fire: () => void;
}

/** Stands still until it is moved. */
export class ManualClock implements Clock, WallClock {
  #nowMs = nowMs;
  readonly #timers = new Set<Timer>();

  readonly nowMs = (): number => this.#nowMs - nowMs;
  readonly wallMs = (): number => this.#nowMs;
  readonly setTimer = (ms: number, fire: () => void): (() => void) => {
    const timer = { atMs: this.#nowMs + ms, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Runs what is due by then, in order. */
  advance(ms: number): void {
    this.#nowMs += ms;
    for (const timer of [...this.#timers].toSorted((a, b) => a.atMs - b.atMs)) {
      if (timer.atMs <= this.#nowMs && this.#timers.delete(timer)) timer.fire();
    }
  }
}
