// Kinds whose objects leave nothing outside: their leaving counts against no deletion limit, and neither do they themselves.
import { expect, test } from 'vitest';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { Deletions } from '../../../src/controller/reconcile/deletions.ts';
import { policy, World } from '../bench.ts';
import { conn, connKey, quiet } from '../chain.ts';
import { idOf, key, node, world } from './deletion-world.ts';

const name = (n: number): string => `Action/shop/a${n}`;

function among(total: number, leaving: number, actions: number) {
  const { graph, approvals, deleted, state } = world(total, leaving);
  for (let n = 0; n < actions; n++) graph.set(name(n), { ...node, uid: `a${n}`, deleting: true });
  const deletions = new Deletions({
    graph,
    approvals: { approved: (of) => approvals.get(of), recentDeletions: () => deleted },
    exempt: (of) => of.startsWith('Action/'),
    settled: () => true,
    nowMs: () => state.nowMs,
  });
  const verdict = (of = key(0)) => deletions.verdict(of, idOf(0), 'c', { perHour: 20, percent: 30 }).is;
  return { verdict, deleted };
}

test('many of them that leave do not hold up one that loses something', () => {
  expect(among(10, 1, 50).verdict()).toBe('within');
});

test('one of them goes while what loses something waits for approval', () => {
  expect(among(10, 4, 1).verdict(name(0))).toBe('within');
});

test('nor do those that have left', () => {
  const { verdict, deleted } = among(10, 1, 0);
  for (let n = 0; n < 50; n++) deleted.push(name(n));
  expect(verdict()).toBe('within');
});

test('they do not make the share of those that do smaller', () => {
  expect(among(10, 4, 0).verdict()).toBe('beyond');
  expect(among(10, 4, 50).verdict()).toBe('beyond');
});

test.for([
  { leavesNothing: true, ending: 'gone' },
  { leavesNothing: false, ending: 'blocked' },
] as const)('the only one of a connection leaves at once: $ending', async ({ leavesNothing, ending }) => {
  const kind = defineKind<unknown, null, string, string, string>({
    ...quiet,
    name: 'Toy',
    connectionField: '/conn',
    ...(leavesNothing && { leavesNothing }),
    defaults: { ...policy, deletion: 'Retain' },
    references: () => [{ to: 'object', field: '/conn', target: connKey('first'), holds: true }],
    locate: (_, { name: id }, { backend }) => ({ backend, id }),
    observe: () => Promise.resolve({ state: 'present', live: null }),
    plan: () => ({ verdict: 'in-sync', drift: [] }),
    record: () => undefined,
    outputs: () => ({}),
  });
  const at = new World([conn, kind], () => ({ is: 'done' }));
  at.source.synced = false; // what else leaves is not known yet
  at.source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  const toy = { kind: 'Toy', namespace: 'shop', name: 'x' };
  at.source.declare({ key: toy, spec: {}, held: true, deleting: true });
  expect((await at.visit('Toy/shop/x'))?.ending.is).toBe(ending);
});
