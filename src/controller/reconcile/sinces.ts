// Since when what an object waits out has been so, as far as this process knows. Nothing of it is stored: instants of the
// monotonic clock mean nothing in the next process, and those of the wall clock mean nothing at all once it is set.
import type { Clock, WallClock } from '../../core/clock.ts';
import type { Observation } from '../../core/sealed-kind.ts';
import type { Plan } from '../../core/planning/plan.ts';

export class Sinces {
  /** Key → what its last plan asked for → the instant of the first plan that did. */
  readonly #known = new Map<string, ReadonlyMap<string, number>>();

  /** Plans an object as it is now. What the plan does not ask for is not so any more, and forgotten. */
  plan<E>(key: string, seen: Pick<Observation<E>, 'plan'>, clock: Pick<Clock, 'nowMs'> & WallClock): Plan<E> {
    const before = this.#known.get(key);
    const asked = new Map<string, number>();
    const nowMs = clock.nowMs();
    const since = (what: string): number => {
      const sinceMs = before?.get(what) ?? nowMs;
      asked.set(what, sinceMs);
      return sinceMs;
    };
    const plan = seen.plan({ nowMs, wallMs: clock.wallMs(), since });
    if (asked.size > 0) this.#known.set(key, asked);
    else this.#known.delete(key);
    return plan;
  }

  /** The object is gone, or something of it begins anew. */
  forget(key: string): void {
    this.#known.delete(key);
  }
}
