// Remembers since when a fact that a plan waits on has held. Held in memory only: monotonic times mean nothing to the next
// process, and the wall clock may be set. After a restart a wait begins anew, so it never ends too soon.
import type { Clock, WallClock } from '../../core/time/clock.ts';
import type { Observation } from '../../core/kind/opened.ts';
import type { Plan } from '../../core/planning/plan.ts';

export class TransitionTimes {
  /** Key → name of the fact → when a plan first asked for it, in a row. */
  readonly #known = new Map<string, ReadonlyMap<string, number>>();

  /** Makes the plan. A fact that the plan does not ask for is forgotten. */
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

  /** Call when the object is gone, or a step starts its waits anew. */
  forget(key: string): void {
    this.#known.delete(key);
  }
}
