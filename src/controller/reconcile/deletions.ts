// Applies the deletion limits (core/planning/deletion-limits.ts) to the connections that there are. What leaves is known
// from declarations; what is to be replaced is announced by its visit, and goes only once everything else has been looked
// at, so that what goes is judged as a whole.
import { isDeepStrictEqual } from 'node:util';
import {
  isApproved,
  leavingID,
  withinLimits,
  type DeletionVerdict,
  type Going,
} from '../../core/planning/deletion-limits.ts';
import type { DeletionLimits } from '../../core/connection.ts';
import type { Problem } from '../../core/problem.ts';
import type { Approvals } from '../../core/source/approvals.ts';
import type { Sync } from '../../core/source/source.ts';
import type { Graph } from '../index/references.ts';

/** unsettled: others have yet to be looked at; they may go, too. The last of them tells. */
export type Verdict =
  | DeletionVerdict
  | { readonly is: 'unsettled' }
  /** What is declared still changes, or can't be read as a whole. @param atMs when to ask again, monotonic */
  | { readonly is: 'not-synced'; readonly atMs: number; readonly problems: readonly Problem[] };

/** A verdict on a set is good for this long unless the set changes: the hour moves on. */
const keptMs = 1_000;
/**
 * What is declared is asked whether it still changes: after as long again as it has been asked, between these. The most is
 * no multiple of how often a tree is read anew: each reading is a change until it is known to be none.
 */
const syncMs = { least: 1_000, most: 20_000 } as const;

/** What is about to go, and is not leaving yet. */
export type Announced = Omit<Going, 'approved'>;

interface Kept {
  readonly revision: string;
  readonly atMs: number;
  readonly verdict: DeletionVerdict;
}

export interface DeletionsOptions {
  readonly graph: Graph;
  readonly approvals: Pick<Approvals, 'approved' | 'departed'>;
  /** Absent: what is declared is always known as a whole. */
  readonly sync?: Pick<Sync, 'hasSynced' | 'problems'> | undefined;
  /** Whether an object counts against no limit (core/kind.ts, `leavesNothing` and `throwaways`). Absent: all count. */
  readonly uncounted?: (key: string) => boolean;
  /** Unvisited.settled: whether all others that matter have been looked at, and no visit to `former` is under way. */
  readonly settled: (key: string, connection: string, former?: string) => boolean;
  /** Monotonic, milliseconds. */
  readonly nowMs: () => number;
}

export class Deletions {
  readonly #graph: Graph;
  readonly #approvals: DeletionsOptions['approvals'];
  readonly #sync: DeletionsOptions['sync'];
  readonly #counts: (key: string) => boolean;
  readonly #settled: DeletionsOptions['settled'];
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, Kept>();
  #announcements = 0;
  /** Since when what is declared is not known as a whole, monotonic. */
  #notSyncedSinceMs: number | undefined;
  /** Connections whose verdict was about another set than there is by now. */
  readonly #outdated = new Set<string>();
  /** Connection → objects that replace their external object, or let children go → what goes. */
  readonly #announced = new Map<string, Map<string, readonly Announced[]>>();
  /** Objects that wait to be judged. */
  readonly #waiting = new Set<string>();

  constructor({ graph, approvals, sync, uncounted, settled, nowMs }: DeletionsOptions) {
    this.#graph = graph;
    this.#approvals = approvals;
    this.#sync = sync;
    this.#counts = (key) => uncounted?.(key) !== true;
    this.#settled = settled;
    this.#nowMs = nowMs;
  }

  /** Its external object is to be replaced. */
  announce(key: string, connection: string, id: string): void {
    this.announceAll(key, connection, [{ key, id, how: 'is replaced' }]);
  }

  /** This is about to go by what an object decides. */
  announceAll(key: string, connection: string, going: readonly Announced[]): void {
    if (isDeepStrictEqual(this.#announced.get(connection)?.get(key), going)) return;
    this.#takeBack(key);
    this.#changed(connection);
    this.#announced.set(
      connection,
      (this.#announced.get(connection) ?? new Map<string, readonly Announced[]>()).set(key, going),
    );
  }

  /** It is not, or not any more. */
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

  /** Connections where those who were judged have to be judged anew; told once. */
  takeOutdated(): readonly string[] {
    const outdated = [...this.#outdated];
    this.#outdated.clear();
    return outdated;
  }

  /** Objects whose verdict may have changed because others have been looked at. */
  get waiting(): readonly string[] {
    return [...this.#waiting];
  }

  /** Objects of a connection that announced something. */
  announced(connection: string): readonly string[] {
    return [...(this.#announced.get(connection)?.keys() ?? [])];
  }

  /**
   * Whether all others that matter to it have been looked at. Where not, it is woken when they have been.
   * @param former what it takes over from, and whose visit has to be over, too
   */
  isSettled(key: string, connection: string, former?: string): boolean {
    const isSettled = this.#settled(key, connection, former);
    if (isSettled) this.#waiting.delete(key);
    else this.#waiting.add(key);
    return isSettled;
  }

  /** Whether this one, which leaves or was announced, may go. @param id of its going */
  verdict(key: string, id: string, connection: string, limits: DeletionLimits): Verdict {
    if (this.#sync?.hasSynced() === false)
      return { is: 'not-synced', atMs: this.#askAgainMs(), problems: this.#sync.problems() };
    this.#notSyncedSinceMs = undefined;
    if (!this.isSettled(key, connection)) return { is: 'unsettled' };
    if (this.isUncounted(key) || this.#isApproved(key, id)) return { is: 'within' };
    const { revision: changed, grown } = this.#graph.population(connection);
    // As those go that may go, each counts as much as before: a set that only shrinks need not be judged again.
    const isWithin = this.#kept.get(connection)?.verdict.is === 'within';
    const revisionOf = (within: boolean) =>
      `${within ? `${grown}` : `${changed} of`} ${this.#announcements} ${JSON.stringify(limits)}`;
    const revision = revisionOf(isWithin);
    const kept = this.#kept.get(connection);
    const nowMs = this.#nowMs();
    if (kept?.revision === revision && nowMs - kept.atMs < keptMs) return kept.verdict;
    const verdict = withinLimits(this.#departures(connection), limits);
    this.#kept.set(connection, { revision: revisionOf(verdict.is === 'within'), atMs: nowMs, verdict });
    return verdict;
  }

  /** Whether its going counts against no limit. */
  isUncounted(key: string): boolean {
    return !this.#counts(key);
  }

  /** By a person: the going itself, or the decision of its parent that lets it go. */
  #isApproved(key: string, id: string): boolean {
    const { generatedBy: parent = '', expired } = this.#graph.get(key) ?? {};
    if (isApproved(this.#approvals.approved(key), id)) return true;
    return expired !== undefined && isApproved(this.#approvals.approved(parent), expired);
  }

  #askAgainMs(): number {
    const nowMs = this.#nowMs();
    const forMs = nowMs - (this.#notSyncedSinceMs ??= nowMs);
    return nowMs + Math.min(Math.max(forMs, syncMs.least), syncMs.most);
  }

  #departures(connection: string) {
    const { all, leaving } = this.#graph.population(connection);
    const going = new Map<string, Going>();
    const enter = (key: string, id: string, how: Going['how']) =>
      going.set(key, { key, id, how, approved: this.#isApproved(key, id) });
    for (const [by, announced] of this.#announced.get(connection) ?? [])
      for (const one of announced)
        going.set(one.key, { ...one, approved: isApproved(this.#approvals.approved(by), one.id) });
    for (const key of leaving) {
      const node = this.#graph.get(key);
      if (node && this.#counts(key)) enter(key, leavingID(node), 'leaves');
    }
    // One that is about to go again is not counted twice, unless a person lets it: then it is not counted as going.
    const isGone = (key: string) => going.get(key)?.approved !== false && this.#counts(key);
    const gone = this.#approvals.departed(connection).filter(isGone);
    return { declared: new Set([...all].filter(this.#counts)), going: [...going.values()], gone };
  }
}
