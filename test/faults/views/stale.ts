// Old answers to reads: a follower that lags, or a cache, that shows a past which it had shown before.
import { destroys, type Called } from '../world/ledger.ts';
import type { Answer, Proxy } from '../world/proxy.ts';
import type { World } from '../world/world.ts';

/** Which reads are answered with the past. */
export type Stale =
  | {
      readonly is: 'one read';
      /** `<method> <path and query> (<how-manieth since the views were attached>)` */
      readonly read: string;
      /** The answer that was true right before, or the first that ever was. */
      readonly from: 'previous' | 'first';
    }
  /** After each own write, each thing that was read before looks so many times as it did before the write. */
  | { readonly is: 'own writes late'; readonly reads: number };

/** A call that destroys, and what it was decided on. */
export interface Decision {
  readonly call: string;
  /** The last answer about that very object was an old one. */
  readonly onOld: boolean;
}

const services = ['scheduler', 'secrets'] as const;

export class Views {
  /** True answers to each read, oldest first, each unlike the one before. */
  readonly #true: Map<string, Answer[]>;
  readonly #count = new Map<string, number>();
  /** True before the last own write. */
  #before = new Map<string, Answer>();
  readonly #late = new Map<string, number>();
  /** Path → whether its last answer was an old one. */
  readonly #old = new Map<string, boolean>();
  /** Reads that could have been answered with the past. */
  readonly possible: Extract<Stale, { readonly is: 'one read' }>[] = [];
  readonly decisions: Decision[] = [];
  /** How many answers were old. */
  served = 0;

  constructor(known?: Views) {
    this.#true = new Map((known ? [...known.#true] : []).map(([read, answers]) => [read, [...answers]]));
  }

  /** From now on. Without `stale` every answer is true, and is remembered. */
  attach({ proxies }: World, stale?: Stale): void {
    for (const service of services) this.#on(proxies[service], stale);
  }

  detach({ proxies }: World): void {
    for (const service of services) {
      proxies[service].read = () => Promise.resolve(undefined);
      proxies[service].write = () => Promise.resolve(undefined);
    }
  }

  #on(proxy: Proxy, stale: Stale | undefined): void {
    proxy.read = async (passing, forward, signal) => {
      const read = `${passing.method} ${passing.url}`;
      const n = (this.#count.get(read) ?? 0) + 1;
      this.#count.set(read, n);
      const truth = await forward(passing, signal);
      const old = this.#oldAnswer(read, n, truth, stale);
      this.#remember(read, truth);
      this.#old.set(pathOf(passing.url), old !== undefined);
      if (old) this.served += 1;
      return old ?? truth;
    };
    proxy.write = (passing) => {
      this.#decided(passing.url, proxy.called(passing));
      if (stale?.is === 'own writes late') {
        for (const [read, answers] of this.#true) {
          const last = answers.at(-1);
          if (last) this.#before.set(read, last);
          this.#late.set(read, stale.reads);
        }
      }
      return Promise.resolve(undefined);
    };
  }

  #oldAnswer(read: string, n: number, truth: Answer, stale: Stale | undefined): Answer | undefined {
    const past = (this.#true.get(read) ?? []).filter((answer) => !same(answer, truth));
    if (past.length > 0) {
      const name = `${read} (${n})`;
      this.possible.push({ is: 'one read', read: name, from: 'previous' });
      if (past.length > 1) this.possible.push({ is: 'one read', read: name, from: 'first' });
    }
    if (stale?.is === 'one read') {
      if (stale.read !== `${read} (${n})`) return undefined;
      return stale.from === 'first' ? past[0] : past.at(-1);
    }
    const left = this.#late.get(read) ?? 0;
    const before = this.#before.get(read);
    if (left === 0 || !before) return undefined;
    this.#late.set(read, left - 1);
    return same(before, truth) ? undefined : before;
  }

  #remember(read: string, truth: Answer): void {
    const answers = this.#true.get(read) ?? [];
    const last = answers.at(-1);
    if (!last || !same(last, truth)) answers.push(truth);
    this.#true.set(read, answers);
  }

  #decided(url: string, { op, call }: Called): void {
    if (!destroys({ op })) return;
    const path = pathOf(url);
    const read = [...this.#old.keys()].find((one) => path === one || path.startsWith(`${one}/`));
    this.decisions.push({ call, onOld: read !== undefined && this.#old.get(read) === true });
  }
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

const same = (a: Answer, b: Answer): boolean => a.status === b.status && a.body.equals(b.body);
