// Kinds whose objects leave nothing outside: their leaving counts against no deletion limit, and neither do they themselves.
import { expect, test } from 'vitest';
import { Deletions } from '../../../src/controller/reconcile/deletions.ts';
import { idOf, key, node, world } from './departing.ts';

function among(total: number, leaving: number, actions: number) {
  const { graph, approvals, departed, state } = world(total, leaving);
  const name = (n: number) => `Action/shop/a${n}`;
  for (let n = 0; n < actions; n++) graph.set(name(n), { ...node, uid: `a${n}`, leaving: true });
  const deletions = new Deletions({
    graph,
    approvals: { approved: (of) => approvals.get(of), departed: () => departed },
    leavesNothing: (of) => of.startsWith('Action/'),
    settled: () => true,
    nowMs: () => state.nowMs,
  });
  const verdict = () => deletions.verdict(key(0), idOf(0), 'c', { perHour: 20, percent: 30 }).is;
  return { verdict, departed, name };
}

test('many of them that leave do not hold up one that loses something', () => {
  expect(among(10, 1, 50).verdict()).toBe('within');
});

test('nor do those that have left', () => {
  const { verdict, departed, name } = among(10, 1, 0);
  for (let n = 0; n < 50; n++) departed.push(name(n));
  expect(verdict()).toBe('within');
});

test('they do not make the share of those that do smaller', () => {
  expect(among(10, 4, 0).verdict()).toBe('beyond');
  expect(among(10, 4, 50).verdict()).toBe('beyond');
});
