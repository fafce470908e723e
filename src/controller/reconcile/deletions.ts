// Applies the deletion limits (core/planning/deletion-limits.ts) to each connection. Deletions are known from declarations;
// a replacement is announced by its visit. A verdict is given only when every object has been visited, so that the whole
// set is judged before its first member is destroyed.
import { isDeepStrictEqual } from 'node:util';
import {
  isApproved,
  deletionID,
  withinLimits,
  type DeletionVerdict,
  type PendingDeletion,
} from '../../core/planning/deletion-limits.ts';
import type { DeletionLimits } from '../../core/connection.ts';
import type { Problem } from '../../core/text/problem.ts';
import type { Approvals } from '../../core/source/approvals.ts';
import type { Sync } from '../../core/source/source.ts';
import type { Expiry } from '../index/expiry.ts';
import type { Graph } from '../index/references.ts';

/**
 * unsettled: objects that may be deleted or replaced too have not been visited yet. The visit of the last one wakes the
 * others.
 */
export type Verdict =
  | DeletionVerdict
  | { readonly is: 'unsettled' }
  /** The declarations are still changing, or can't all be read. @param atMs when to ask again, monotonic */
  | {
      readonly is: 'not-synced';
      readonly atMs: number;
      readonly problems: readonly Problem[];
      /** Which declarations can't be known now. */
      readonly unknown?: string | undefined;
    };

/**
 * How long (ms) a verdict on an unchanged set is reused. Time alone can change it, as deletions drop out of the last hour.
 */
const keptMs = 1_000;
/**
 * When to ask again whether the source has synced: after as long as it has been out of sync, within these bounds (ms), or
 * when the source says that it will have.
 * `most` is not a multiple of the rescan interval of a directory, because a rescan counts as a change until it has ended.
 */
const syncMs = { least: 1_000, most: 20_000 } as const;

/** Whether all may go by both, or the same wait by the same rule. Only the number of other objects may differ. */
const isSame = (one: DeletionVerdict, other: DeletionVerdict): boolean =>
  one.is === 'beyond' && other.is === 'beyond'
    ? one.digest === other.digest && one.rule === other.rule
    : one.is === other.is;

export type Announced = Omit<PendingDeletion, 'approved'>;

interface Kept {
  readonly revision: string;
  readonly atMs: number;
  readonly verdict: DeletionVerdict;
}

export interface DeletionsOptions {
  readonly graph: Graph;
  readonly approvals: Pick<Approvals, 'approved' | 'recentDeletions' | 'judged'>;
  /** Absent: the declarations are complete once the source has started. */
  readonly sync?: Pick<Sync, 'hasSynced' | 'syncedByMs' | 'problems' | 'unknown'> | undefined;
  /** Whether an object is exempt from the limits (core/kind/kind.ts, `leavesNothing` and `throwaways`). Absent: none is. */
  readonly exempt?: (key: string) => boolean;
  /** The parent's decision that lets an object expire (index/expiry.ts). Absent: nothing expires. */
  readonly expiryOf?: (key: string) => Expiry | undefined;
  /** `Unvisited.settled`: whether all other objects that matter were visited, and no visit to `former` is in progress. */
  readonly settled: (key: string, connection: string, former?: string) => boolean;
  /** Monotonic clock. */
  readonly nowMs: () => number;
}

export class Deletions {
  readonly #graph: Graph;
  readonly #approvals: DeletionsOptions['approvals'];
  readonly #sync: DeletionsOptions['sync'];
  readonly #isExempt: (key: string) => boolean;
  readonly #expiryOf: (key: string) => Expiry | undefined;
  readonly #settled: DeletionsOptions['settled'];
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, Kept>();
  /** Connection → what all that leave were last woken for, unless one of them was told something else since. */
  readonly #wokenFor = new Map<string, DeletionVerdict>();
  #announcements = 0;
  /** Since when the source has been out of sync, on the monotonic clock. */
  #notSyncedSinceMs: number | undefined;
  /** Connections with a verdict on a set that has changed since. */
  readonly #outdated = new Set<string>();
  /** Connection → object → replacements and expiries that it announced. */
  readonly #announced = new Map<string, Map<string, readonly Announced[]>>();
  /** Objects that wait for others to be visited. */
  readonly #waiting = new Set<string>();

  constructor({ graph, approvals, sync, exempt, expiryOf, settled, nowMs }: DeletionsOptions) {
    this.#graph = graph;
    this.#approvals = approvals;
    this.#sync = sync;
    this.#isExempt = exempt ?? (() => false);
    this.#expiryOf = expiryOf ?? (() => undefined);
    this.#settled = settled;
    this.#nowMs = nowMs;
  }

  announce(key: string, connection: string, id: string): void {
    this.announceAll(key, connection, [{ key, id, how: 'is replaced' }]);
  }

  /** The object is about to cause these deletions. Replaces what it announced before. */
  announceAll(key: string, connection: string, going: readonly Announced[]): void {
    if (isDeepStrictEqual(this.#announced.get(connection)?.get(key), going)) return;
    this.#takeBack(key);
    this.#changed(connection);
    this.#announced.set(
      connection,
      (this.#announced.get(connection) ?? new Map<string, readonly Announced[]>()).set(key, going),
    );
  }

  /** The object no longer causes any deletion. */
  withdraw(key: string): void {
    this.#waiting.delete(key);
    this.#takeBack(key);
  }

  #takeBack(key: string): void {
    for (const [connection, announced] of this.#announced) {
      if (announced.delete(key)) this.#changed(connection);
      if (announced.size === 0) this.#announced.delete(connection);
    }
  }

  #changed(connection: string): void {
    this.#announcements += 1;
    if (this.#kept.delete(connection)) this.#outdated.add(connection);
  }

  /** Connections whose objects must be judged again. Each is returned once. */
  takeOutdated(): readonly string[] {
    const outdated = [...this.#outdated];
    this.#outdated.clear();
    return outdated;
  }

  /** Objects whose verdict may change once all others were visited. */
  get waiting(): readonly string[] {
    return [...this.#waiting];
  }

  announced(connection: string): readonly string[] {
    return [...(this.#announced.get(connection)?.keys() ?? [])];
  }

  /**
   * Whether all other objects that matter were visited. If not, the object is woken once they were.
   * @param former the object from which `key` takes over; its visit must have ended, too
   */
  isSettled(key: string, connection: string, former?: string): boolean {
    const isSettled = this.#settled(key, connection, former);
    if (isSettled) this.#waiting.delete(key);
    else this.#waiting.add(key);
    return isSettled;
  }

  /** Whether an object that is being deleted, or was announced, may go. @param id of this deletion or replacement */
  verdict(key: string, id: string, connection: string, limits: DeletionLimits): Verdict {
    const atMs = this.incompleteUntilMs();
    if (this.#sync && atMs !== undefined)
      return { is: 'not-synced', atMs, problems: this.#sync.problems(), unknown: this.#sync.unknown?.() };
    if (!this.isSettled(key, connection)) return { is: 'unsettled' };
    if (this.#isExempt(key) || this.#isApproved(key, id)) return { is: 'within' };
    const { revision: changed, grown } = this.#graph.population(connection);
    // Within the limits, a set that shrinks need not be judged again: a deletion that was carried out counts as much as one
    // that is about to be. So only additions (`grown`) invalidate such a verdict.
    const isWithin = this.#kept.get(connection)?.verdict.is === 'within';
    const revisionOf = (within: boolean) =>
      `${within ? `${grown}` : `${changed} of`} ${this.#announcements} ${JSON.stringify(limits)}`;
    const revision = revisionOf(isWithin);
    const kept = this.#kept.get(connection);
    const nowMs = this.#nowMs();
    if (kept?.revision === revision && nowMs - kept.atMs < keptMs) return kept.verdict;
    const verdict = this.#judge(connection, limits, kept?.verdict);
    this.#kept.set(connection, { revision: revisionOf(verdict.is === 'within'), atMs: nowMs, verdict });
    return verdict;
  }

  /** @returns `before` where only the number of other objects has changed: each status would be written anew for that */
  #judge(connection: string, limits: DeletionLimits, before: DeletionVerdict | undefined): DeletionVerdict {
    const set = this.#deletionSet(connection);
    const verdict = withinLimits(set, limits);
    const wokenFor = this.#wokenFor.get(connection);
    if (wokenFor && !isSame(verdict, wokenFor)) this.#wokenFor.delete(connection);
    if (verdict.is === 'within') return verdict;
    if (before !== undefined && isSame(verdict, before)) return before;
    const waiting = set.going.filter(({ approved, how }) => !approved && how === 'is deleted');
    const ids = new Map(waiting.map(({ key, id }) => [key, id]));
    this.#approvals.judged?.(connection, verdict.digest, ids);
    return verdict;
  }

  /**
   * What has to be looked at again, since who is declared or deleted has changed. Nothing, where all may go as when this was last
   * asked, or wait for the same approval by the same rule: thousands would be looked at whenever one of them is gone, or somebody
   * declares something.
   */
  toBeRejudged(connection: string, limits: DeletionLimits | undefined): readonly string[] {
    const before = this.#wokenFor.get(connection);
    const verdict = limits && withinLimits(this.#deletionSet(connection), limits);
    if (verdict) this.#wokenFor.set(connection, verdict);
    if (before && verdict && isSame(verdict, before)) return [];
    return [...this.#graph.population(connection).deleting, ...this.announced(connection)];
  }

  /** Whether the deletion counts towards no limit, unless a person approved it: that the source knows itself. */
  isUncounted(key: string): boolean {
    return this.#isExempt(key) || this.#isExpiryApproved(key);
  }

  /** Whether a person approved the deletion itself, or the parent's decision that lets the object expire. */
  #isApproved(key: string, id: string): boolean {
    return isApproved(this.#approvals.approved(key), id) || this.#isExpiryApproved(key);
  }

  #isExpiryApproved(key: string): boolean {
    const expiry = this.#expiryOf(key);
    return expiry !== undefined && isApproved(this.#approvals.approved(expiry.parent), expiry.decision);
  }

  /** When to ask again whether all declarations are known, on the monotonic clock. `undefined`: they are. */
  incompleteUntilMs(): number | undefined {
    if (this.#sync?.hasSynced() === false)
      return Math.min(this.#askAgainMs(), this.#sync.syncedByMs?.() ?? Infinity);
    this.#notSyncedSinceMs = undefined;
    return undefined;
  }

  #askAgainMs(): number {
    const nowMs = this.#nowMs();
    const forMs = nowMs - (this.#notSyncedSinceMs ??= nowMs);
    return nowMs + Math.min(Math.max(forMs, syncMs.least), syncMs.most);
  }

  #deletionSet(connection: string) {
    const { all, deleting } = this.#graph.population(connection);
    const going = new Map<string, PendingDeletion>();
    const add = (key: string, id: string, how: PendingDeletion['how']) =>
      going.set(key, { key, id, how, approved: this.#isApproved(key, id) });
    for (const [by, announced] of this.#announced.get(connection) ?? [])
      for (const one of announced)
        going.set(one.key, { ...one, approved: isApproved(this.#approvals.approved(by), one.id) });
    for (const key of deleting) {
      const node = this.#graph.get(key);
      if (node && !this.#isExempt(key)) add(key, deletionID(node), 'is deleted');
    }
    // An object that is about to go again counts once: as going if unapproved, otherwise as gone.
    const isGone = (key: string) => going.get(key)?.approved !== false && !this.#isExempt(key);
    const gone = this.#approvals.recentDeletions(connection).filter(isGone);
    return {
      declared: new Set([...all].filter((key) => !this.#isExempt(key))),
      going: [...going.values()],
      gone,
    };
  }
}
