// Deletions that never cease are judged after twenty seconds at the latest (docs/decisions/0023), whoever makes them: that must be
// when those who wait are visited.
import { expect, test } from 'vitest';
import { Deletions } from '../../../src/controller/reconcile/deletions.ts';
import { Graph } from '../../../src/controller/index/references.ts';
import { deletionID } from '../../../src/core/planning/deletion-limits.ts';
import { DeletionDebounce } from '../../../src/sources/kubernetes/deletion-debounce.ts';
import { ManualClock } from '../../web/fake-view.ts';

test('one tenant who makes objects and deletes them all the time keeps nobody else from deleting', () => {
  const clock = new ManualClock();
  const sync = new DeletionDebounce(clock);
  const graph = new Graph();
  const node = { uid: 'u', generation: 1, references: [], connection: 'c' };
  graph.set('Toy/shop/mine', { ...node, deleting: true });
  graph.set('Toy/shop/other', { ...node, deleting: false });
  const deletions = new Deletions({
    graph,
    approvals: { approved: () => undefined, recentDeletions: () => [] },
    sync,
    settled: () => true,
    nowMs: clock.nowMs,
  });
  const limits = { perHour: 100, percent: 100 };
  const startMs = clock.nowMs();
  let askMs = startMs + 10; // as the visit that waits is put off: `wake: {on: 'time', atMs}`
  let goneMs: number | undefined;
  const minuteMs = 60_000;
  let deletedMs = startMs;
  for (; goneMs === undefined && clock.nowMs() < startMs + 30 * minuteMs; clock.advance(10)) {
    if (clock.nowMs() >= deletedMs) {
      deletedMs += 100;
      sync.seen(); // an object of another namespace, of another connection
    }
    if (clock.nowMs() < askMs) continue;
    const verdict = deletions.verdict('Toy/shop/mine', deletionID(node), 'c', limits);
    if (verdict.is === 'not-synced') askMs = verdict.atMs;
    else goneMs = clock.nowMs() - startMs;
  }
  expect(goneMs ?? Infinity).toBeLessThan(2 * minuteMs);
});
