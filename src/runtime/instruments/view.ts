// The operator as the status page shows it. It reads each object from what source, controller and graph hold in memory.
import type { Effect, Reader } from '../../api/routes.ts';
import type { Controller } from '../../controller/controller.ts';
import type { Graph } from '../../controller/index/references.ts';
import type { WorkQueue } from '../../controller/queue/workqueue.ts';
import type { Clock, WallClock } from '../../core/time/clock.ts';
import type { Problem } from '../../core/text/problem.ts';
import { isTrue } from '../../core/status/condition.ts';
import { keyText, type Reference } from '../../core/resource.ts';
import { invalidObjects } from '../../core/source/invalid.ts';
import type { Entry, Source, Sync } from '../../core/source/source.ts';
import { suspensionOf } from '../../core/suspension.ts';
import type { ObjectView, View, Wait } from '../../core/status/view.ts';
import { kinds } from '../kinds/lookup.ts';

/** The parts of an operator. All of them exist by the first request. */
export interface Parts {
  readonly source: Source;
  readonly queue: WorkQueue;
  readonly graph: Graph;
  readonly controller: Controller<Effect, Reader>;
  readonly sync?: Sync | undefined;
  readonly refusal?: () => string | undefined;
}

/** If the difference between the clocks changes by more than this, the wall clock was set. */
const setMs = 1_000;

export class OperatorView implements View {
  readonly startedAtMs: number;
  readonly version: string;
  readonly #parts: () => Parts;
  readonly #clock: Pick<Clock, 'nowMs'> & WallClock;
  readonly #listeners = new Set<(key: string) => void>();
  #broken: { readonly of: readonly Problem[]; readonly objects: ReadonlyMap<string, Entry> } | undefined;
  /** How far the wall clock is ahead of the monotonic clock. */
  #aheadMs = 0;
  /** Key → monotonic time of the next reconcile that no event causes. */
  readonly #next = new Map<string, number>();

  constructor(parts: () => Parts, version: string, clock: Pick<Clock, 'nowMs'> & WallClock) {
    this.#parts = parts;
    this.#clock = clock;
    this.startedAtMs = clock.wallMs();
    this.version = version;
  }

  /** Called by the controller. */
  changed(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }

  visited(key: string, requeueMs: number | undefined): void {
    if (requeueMs === undefined) this.#next.delete(key);
    else this.#next.set(key, this.#clock.nowMs() + requeueMs);
  }

  keys(): Iterable<string> {
    return [...this.#parts().source.keys(), ...this.#invalid().keys()];
  }

  problems(): readonly Problem[] {
    return this.#parts().sync?.problems() ?? [];
  }

  refusal(): string | undefined {
    return this.#parts().refusal?.();
  }

  /** Computed again when the problems change. */
  #invalid(): ReadonlyMap<string, Entry> {
    const of = this.problems();
    if (this.#broken?.of !== of) {
      const { source } = this.#parts();
      this.#broken = { of, objects: invalidObjects(of, (key) => source.read(key) !== undefined) };
    }
    return this.#broken.objects;
  }

  object(key: string): ObjectView | undefined {
    const { source, graph, controller } = this.#parts();
    const entry = source.read(key) ?? this.#invalid().get(key);
    if (!entry) return undefined;
    const { object, status } = entry;
    const dueMs = this.#next.get(key);
    const node = graph.get(key);
    const suspension = suspensionOf(object, source.read(node?.connection ?? '')?.object);
    const kind = kinds.get(object.key.kind);
    const timeline = kind?.timeline(status) ?? [];
    const isConnection = kind?.connectionField === undefined;
    return {
      key: object.key,
      generation: object.generation,
      deleting: object.deleting,
      status,
      waitsFor: (node?.references ?? []).flatMap((reference) => this.#waitFor(key, reference)),
      ...(suspension && { suspension }),
      ...(object.origin !== undefined && { origin: object.origin }),
      ...(object.createdAt !== undefined && { createdAt: object.createdAt }),
      ...(dueMs !== undefined && { nextVisitMs: this.#onWall(dueMs) }),
      ...(node?.connection !== undefined && { through: node.connection }),
      ...(isConnection && { connection: controller.watching(key) }),
      ...(timeline.length > 0 && { timeline }),
    };
  }

  /** Converts to wall time for people. Equal instants stay equal, unless the wall clock was set. */
  #onWall(dueMs: number): number {
    const aheadMs = this.#clock.wallMs() - this.#clock.nowMs();
    if (Math.abs(aheadMs - this.#aheadMs) > setMs) this.#aheadMs = aheadMs;
    return dueMs + this.#aheadMs;
  }

  /** Secrets are reported as the last visit found them. When a Secret changes, the object is visited again. */
  #waitFor(key: string, reference: Reference): readonly Wait[] {
    const { source, controller } = this.#parts();
    const { field, target } = reference;
    if (reference.to === 'secret') {
      const found = controller.last(key)?.missing?.get(field);
      return found && 'message' in found
        ? [{ field, target, state: found.state, message: found.message }]
        : [];
    }
    const entry = source.read(keyText(target));
    if (!entry) return [{ field, target, state: 'missing', message: 'it does not exist' }];
    if (isTrue(entry.status.conditions, 'Ready')) return [];
    return [{ field, target, state: 'waiting', message: 'it is not ready' }];
  }

  subscribe(changed: (key: string) => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }
}
