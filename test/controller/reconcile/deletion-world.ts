// Objects of one connection, some of which leave, and the deletion limits applied to them.
import type { Problem } from '../../../src/core/text/problem.ts';
import { Deletions } from '../../../src/controller/reconcile/deletions.ts';
import { Graph } from '../../../src/controller/index/references.ts';
import { deletionID } from '../../../src/core/planning/deletion-limits.ts';

const limits = { perHour: 20, percent: 30 };
export const key = (n: number): string => `Toy/shop/t${n}`;
export const node = { generation: 1, references: [], connection: 'c' };
export const idOf = (n: number, generation = 1): string => deletionID({ uid: `u${n}`, generation });

/** `total` objects of connection `c`, the first of which leave, under a clock that stands still. */
export function world(total: number, leaving: number) {
  const graph = new Graph();
  const approvals = new Map<string, string>();
  const judged: { digest: string; ids: ReadonlyMap<string, string> }[] = [];
  const deleted: string[] = [];
  const unsettled = new Set<string>();
  const state = { nowMs: 36_000_000, synced: true, problems: new Array<Problem>(), unknown: '' };
  const put = (n: number, isDeleting: boolean): void =>
    graph.set(key(n), { ...node, uid: `u${n}`, deleting: isDeleting });
  for (let n = 0; n < total; n++) put(n, n < leaving);
  const approved = {
    approved: (of: string) => approvals.get(of),
    judged: (_: string, digest: string, ids: ReadonlyMap<string, string>) =>
      void judged.push({ digest, ids }),
    recentDeletions: (connection: string) => (connection === 'c' ? deleted : []),
  };
  const settled = (_: string, connection: string) => !unsettled.has(connection);
  const deletions = new Deletions({
    graph,
    approvals: approved,
    sync: {
      hasSynced: () => state.synced,
      problems: () => state.problems,
      unknown: () => state.unknown || undefined,
    },
    settled,
    nowMs: () => state.nowMs,
  });
  const full = (n: number, id = idOf(n)) => deletions.verdict(key(n), id, 'c', limits);
  const replace = (n: number): string => {
    deletions.announce(key(n), 'c', `disk-${n}`);
    return full(n, `disk-${n}`).is;
  };
  return {
    graph,
    approvals,
    deleted,
    unsettled,
    state,
    put,
    deletions,
    judged,
    full,
    replace,
    verdict: (n: number) => full(n).is,
  };
}

export const digestOf = (verdict: ReturnType<Deletions['verdict']>): string => {
  if (verdict.is !== 'beyond') throw new Error(verdict.is);
  return verdict.digest;
};
