// What a test can ask to know that something happened so often and no more. Counts only, never values.
import type { RequestLog } from '../requests.ts';

export interface Counters {
  /** `METHOD pattern` → requests. */
  readonly routes: Readonly<Record<string, number>>;
  /** Requests to the API that may change something. */
  readonly writes: number;
  /** `mount/role` → passwords changed, the one on creation and those by period included. */
  readonly rotations: Readonly<Record<string, number>>;
  /** Mount → bind passwords changed by rotate-root. */
  readonly rootRotations: Readonly<Record<string, number>>;
  /** Mount → config writes that held a `bindpass`, refused ones included. */
  readonly bindPasswordWrites: Readonly<Record<string, number>>;
  readonly logins: number;
}

type Counted = 'rotations' | 'rootRotations' | 'bindPasswordWrites';

export class Tally {
  readonly #counts: Readonly<Record<Counted, Map<string, number>>> = {
    rotations: new Map(),
    rootRotations: new Map(),
    bindPasswordWrites: new Map(),
  };
  #logins = 0;

  count(what: Counted, key: string): void {
    const counts = this.#counts[what];
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  loggedIn(): void {
    this.#logins += 1;
  }

  reset(): void {
    for (const counts of Object.values(this.#counts)) counts.clear();
    this.#logins = 0;
  }

  counters(log: RequestLog): Counters {
    const { rotations, rootRotations, bindPasswordWrites } = this.#counts;
    return {
      routes: log.counts(),
      writes: log.writes(),
      rotations: Object.fromEntries(rotations),
      rootRotations: Object.fromEntries(rootRotations),
      bindPasswordWrites: Object.fromEntries(bindPasswordWrites),
      logins: this.#logins,
    };
  }
}
