// What waits for an operator's next effects: its death before or after one of them, or something that happens right before
// one of its requests.
import type { OperatorName, Requests } from '../history/events.ts';
import { later, type Life } from '../machine/time.ts';
import type { Place } from '../oracle/record.ts';
import type { NetworkHooks, Passing } from './network.ts';
import type { Site } from './site.ts';

interface Trap {
  readonly operator: string;
  readonly phase: 'before' | 'after';
  readonly only: Requests;
  left: number;
  readonly spring: (place: Place | undefined) => void;
}

export class Traps implements NetworkHooks {
  readonly #sites: ReadonlyMap<OperatorName, Site>;
  #set: Trap[] = [];

  constructor(sites: ReadonlyMap<OperatorName, Site>) {
    this.#sites = sites;
  }

  /** Kills it at its nth effect from now on; it is started again later. */
  crash(operator: OperatorName, phase: Trap['phase'], nth: number, downMs: number): void {
    const spring = (): void => {
      const site = this.#sites.get(operator);
      site?.kill();
      later(downMs, () => site?.start());
    };
    this.#set.push({ operator, phase, only: 'writes', left: nth, spring });
  }

  between(operator: OperatorName, nth: number, only: Requests, spring: Trap['spring']): void {
    this.#set.push({ operator, phase: 'before', only, left: nth, spring });
  }

  calm(): void {
    this.#set = [];
  }

  before = (life: Life, passing: Passing): boolean => this.#passed('before', life, passing);
  after = (life: Life, passing: Passing): boolean => this.#passed('after', life, passing);

  #passed(phase: Trap['phase'], life: Life, { is, place }: Passing): boolean {
    const due = this.#set.filter((trap) => {
      if (trap.operator !== life.name || trap.phase !== phase || !counts[trap.only].includes(is))
        return false;
      trap.left -= 1;
      return trap.left < 0;
    });
    if (due.length === 0) return life.alive;
    this.#set = this.#set.filter((trap) => !due.includes(trap));
    for (const trap of due) trap.spring(place);
    return life.alive;
  }
}

const counts: Readonly<Record<Requests, readonly Passing['is'][]>> = {
  all: ['read', 'write', 'removal'],
  writes: ['write', 'removal', 'commit'],
  removals: ['removal'],
};
