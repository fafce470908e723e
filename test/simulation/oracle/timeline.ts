// What was declared when, and what an operator must have seen of it.
import type { Account, Declared, Fact, Snapshot } from './record.ts';

/** Up so long without a break, an operator has read its tree: it looks every 30 s, and removals wait for quiet. */
const surelySeenMs = 60_000;
/** Up for less, it can't have taken what is missing to be gone: removals wait that long for quiet. */
const quietMs = 2_000;

/** How one object stood in the tree for a while. */
export interface Stretch {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  /** `undefined`: not there. */
  readonly declared: Declared | 'broken' | undefined;
  /** Something in the tree could not be read: nothing of it may be believed to be gone. */
  readonly unsound: boolean;
  readonly hides: boolean;
}

export const isDeclared = (declared: Stretch['declared']): declared is Declared =>
  declared !== undefined && declared !== 'broken';

export class Timeline {
  readonly account: Account;
  readonly #snapshots = new Map<string, Snapshot[]>();
  readonly #up = new Map<string, { readonly from: number; readonly to: number }[]>();
  readonly #stretches = new Map<string, readonly Stretch[]>();

  constructor(account: Account) {
    this.account = account;
    for (const snapshot of account.snapshots) {
      const list = this.#snapshots.get(snapshot.operator) ?? [];
      list.push(snapshot);
      this.#snapshots.set(snapshot.operator, list);
    }
    for (const operator of this.#snapshots.keys()) this.#up.set(operator, this.#upOf(operator));
  }

  get operators(): readonly string[] {
    return [...this.#snapshots.keys()];
  }

  snapshots(operator: string): readonly Snapshot[] {
    return this.#snapshots.get(operator) ?? [];
  }

  /** What the tree says at that instant. */
  at(operator: string, at: number): Snapshot | undefined {
    return this.snapshots(operator).findLast((snapshot) => snapshot.at <= at);
  }

  facts<Is extends Fact['is']>(operator: string, is: Is): readonly (Fact & { readonly is: Is })[] {
    return this.account.facts.filter(
      (fact): fact is Fact & { readonly is: Is } => fact.is === is && fact.operator === operator,
    );
  }

  /** Every object that was ever declared. */
  keys(operator: string): ReadonlySet<string> {
    return new Set(this.snapshots(operator).flatMap(({ objects }) => [...objects.keys()]));
  }

  /** An object's life in the tree, oldest first. */
  stretches(operator: string, key: string): readonly Stretch[] {
    const known = this.#stretches.get(`${operator} ${key}`);
    if (known) return known;
    const snapshots = this.#remembered(operator);
    const all: Stretch[] = [];
    snapshots.forEach(({ at, objects, broken, unsound, hides = unsound }, i) => {
      const declared = objects.get(key) ?? (broken.has(key) ? 'broken' : undefined);
      const to = snapshots[i + 1]?.at ?? Number.POSITIVE_INFINITY;
      const last = all.at(-1);
      const same =
        last &&
        JSON.stringify(last.declared) === JSON.stringify(declared) &&
        last.unsound === unsound &&
        last.hides === hides;
      if (same) all[all.length - 1] = { ...last, to };
      else all.push({ from: at, to, declared, unsound, hides });
    });
    this.#stretches.set(`${operator} ${key}`, all);
    return all;
  }

  /**
   * The same without what nobody knew of emptied files: since the state that knew it was lost, or put back, or since they
   * were emptied before anybody can have seen what they declared.
   */
  #remembered(operator: string): readonly Snapshot[] {
    const forgot = (['lost', 'restored', 'copied'] as const)
      .flatMap((is) => this.facts(operator, is))
      .map(({ at }) => at);
    const snapshots = this.snapshots(operator);
    const forgotten = forgot.flatMap((at) => {
      const now = this.at(operator, at);
      return now ? [{ ...now, at }] : [];
    });
    const all = [...snapshots, ...forgotten].toSorted((a, b) => a.at - b.at);
    let before: Snapshot | undefined;
    const unknown = new Set<string>();
    return all.map((one) => {
      const { at, emptied = new Set<string>(), broken, unsound } = one;
      for (const key of unknown) if (!emptied.has(key)) unknown.delete(key);
      if (forgot.includes(at)) for (const key of before?.emptied ?? []) unknown.add(key);
      for (const key of emptied) {
        if (before?.emptied?.has(key) !== true && this.#mayBeUnseen(operator, key, at)) unknown.add(key);
      }
      before = one;
      return {
        ...one,
        unsound: unsound && (broken.size === 0 || [...broken].some((key) => !unknown.has(key))),
      };
    });
  }

  /** Whether it had not been there for long, was seen to be gone before that, and so may be new to whoever looks now. */
  #mayBeUnseen(operator: string, key: string, at: number): boolean {
    const before = this.snapshots(operator).filter((one) => one.at < at);
    const isThere = ({ objects, broken }: Snapshot) => objects.has(key) || broken.has(key);
    const absentUntil = before.findLastIndex((one) => !isThere(one)) + 1;
    if (absentUntil === 0) return false; // declared from the start
    const absentFrom = before.slice(0, absentUntil).findLastIndex(isThere) + 1;
    const [from, to] = [before[absentFrom]?.at ?? 0, before[absentUntil]?.at ?? at];
    const wasThere = absentFrom > 0;
    return !this.surelySeen(operator, to, at) && (!wasThere || this.surelySeen(operator, from, to, quietMs));
  }

  /** Whether the operator, in some time without a break, must have seen what stood there between the two. */
  surelySeen(operator: string, from: number, to: number, forMs = surelySeenMs): boolean {
    return (this.#up.get(operator) ?? []).some(
      (up) => Math.min(up.to, to) - Math.max(up.from, from) >= forMs,
    );
  }

  /**
   * The declarations of an object that an operator may go by at that instant: the last one that it must have seen, and
   * whatever was said after that. What can't be taken as it stands says nothing.
   */
  known(operator: string, key: string, at: number): readonly Declared[] {
    const known: Declared[] = [];
    const forgotAt = this.#forgotAt(operator, at);
    for (const { from, to, declared } of this.stretches(operator, key).toReversed()) {
      if (from > at || declared === undefined || declared === 'broken') continue;
      known.push(declared);
      if (this.surelySeen(operator, Math.max(from, forgotAt), Math.min(to, at))) break;
    }
    return known;
  }

  /** When its state was put back last, and a person has said since that it may go on from what that one knew. */
  #forgotAt(operator: string, before: number): number {
    const accepted = this.facts(operator, 'accepted').findLast(({ at }) => at < before);
    const put = (['restored', 'copied'] as const).flatMap((is) => this.facts(operator, is));
    return Math.max(0, ...put.map(({ at }) => at).filter((at) => accepted !== undefined && at < accepted.at));
  }

  /** Times in which it ran and its disk let it work. */
  #upOf(operator: string) {
    const up: { from: number; to: number }[] = [];
    let since: number | undefined;
    let running = false;
    let troubles = 0;
    const change = (at: number): void => {
      const isUp = running && troubles === 0;
      if (isUp && since === undefined) since = at;
      if (isUp || since === undefined) return;
      up.push({ from: since, to: at });
      since = undefined;
    };
    for (const fact of this.account.facts) {
      if (fact.operator !== operator) continue;
      if (fact.is === 'started') running = true;
      if (fact.is === 'ended') running = false;
      if (fact.is === 'disturbed') troubles += 1;
      if (fact.is === 'calm') troubles -= 1;
      change(fact.at);
    }
    if (since !== undefined) up.push({ from: since, to: Number.POSITIVE_INFINITY });
    return up;
  }
}
