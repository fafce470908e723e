// The deletion budget, applied to the objects that there are.
import { describe, expect, test } from 'vitest';
import { Deletions } from '../../src/controller/deletions.ts';
import { Graph } from '../../src/controller/graph.ts';

const limits = { perHour: 20, percent: 30 };
const hourMs = 3_600_000;

const key = (n: number): string => `Toy/shop/t${n}`;

/** `total` objects of connection `c`, `leaving` of which leave, under a clock that stands still. */
function world(total: number, leaving: number) {
  const graph = new Graph();
  const approved = new Set<string>();
  const released: number[] = [];
  const clock = { nowMs: 10 * hourMs };
  const put = (n: number, isLeaving: boolean): void =>
    graph.set(key(n), { uid: `u${n}`, leaving: isLeaving, references: [], connection: 'c' });
  for (let n = 0; n < total; n++) put(n, n < leaving);
  const source = {
    approved: (of: string) => approved.has(of),
    releasedSince: (_: string, sinceMs: number) => released.filter((atMs) => atMs >= sinceMs).length,
  };
  const deletions = new Deletions(graph, source, () => clock.nowMs);
  const verdict = (n: number): string => deletions.verdict(key(n), 'c', limits).is;
  return { graph, approved, released, clock, put, deletions, verdict };
}

test('few may go, many wait', () => {
  expect(world(10, 3).verdict(0)).toBe('within');
  expect(world(10, 4).verdict(0)).toBe('beyond');
});

test('only the objects of that connection count', () => {
  const { graph, verdict } = world(10, 3);
  for (let n = 0; n < 9; n++) {
    graph.set(`Toy/bank/t${n}`, { uid: 'u', leaving: true, references: [], connection: 'd' });
  }
  graph.set('Conn/c', { uid: 'u', leaving: true, references: [], connection: undefined });
  expect(verdict(0)).toBe('within');
});

test('an hour is what counts, and it moves on', () => {
  const { released, clock, verdict } = world(100, 1);
  released.push(...Array.from({ length: 20 }, () => clock.nowMs - hourMs + 5_000));
  expect(verdict(0)).toBe('beyond');
  clock.nowMs += 4_999;
  expect(verdict(0)).toBe('beyond');
  clock.nowMs += 1_000;
  expect(verdict(0)).toBe('within');
});

test('one more that leaves is noticed at once, however fresh the last verdict', () => {
  const { put, verdict } = world(10, 3);
  expect(verdict(0)).toBe('within');
  put(3, true);
  expect(verdict(0)).toBe('beyond');
});

test('so is one that comes back', () => {
  const { put, verdict } = world(10, 4);
  expect(verdict(0)).toBe('beyond');
  put(3, false);
  expect(verdict(0)).toBe('within');
});

test('a verdict is kept for a second: ten thousand leavers ask for the same one', () => {
  const { released, clock, verdict } = world(100, 1);
  expect(verdict(0)).toBe('within');
  released.push(...Array.from({ length: 20 }, () => clock.nowMs));
  clock.nowMs += 999;
  expect(verdict(0)).toBe('within');
  clock.nowMs += 1;
  expect(verdict(0)).toBe('beyond');
});

describe('approving', () => {
  test('names exactly those that wait', () => {
    const { deletions, approved } = world(10, 4);
    approved.add(key(2));
    const waiting = deletions.waiting('c', { perHour: 0, percent: 0 });
    expect(waiting?.keys).toEqual([key(0), key(1), key(3)]);
  });

  test('names nobody where nobody waits', () => {
    const { deletions } = world(10, 3);
    expect(deletions.waiting('c', limits)).toBeUndefined();
    expect(deletions.waiting('nowhere', limits)).toBeUndefined();
  });

  test('lets each of them go, at once', () => {
    const { deletions, approved, verdict } = world(10, 10);
    expect(verdict(0)).toBe('beyond');
    for (const waiting of deletions.waiting('c', limits)?.keys ?? []) approved.add(waiting);
    const verdicts = Array.from({ length: 10 }, (_, n) => verdict(n));
    expect(new Set(verdicts)).toEqual(new Set(['within']));
  });

  test('does not let another one go that left since', () => {
    const { deletions, approved, put, verdict } = world(20, 10);
    const before = deletions.waiting('c', limits);
    for (const waiting of before?.keys ?? []) approved.add(waiting);
    for (let n = 10; n < 17; n++) put(n, true);
    expect(verdict(16)).toBe('beyond');
    const after = deletions.waiting('c', limits);
    expect(after?.keys).toHaveLength(7);
    expect(after?.digest).not.toBe(before?.digest);
  });

  test('is of these lives: another object of the same name needs another approval', () => {
    const { graph, deletions } = world(10, 4);
    const before = deletions.waiting('c', limits);
    graph.set(key(0), { uid: 'another', leaving: true, references: [], connection: 'c' });
    expect(deletions.waiting('c', limits)?.digest).not.toBe(before?.digest);
  });

  test('shows in what people are told by the same digest', () => {
    const { deletions } = world(10, 4);
    const verdict = deletions.verdict(key(0), 'c', limits);
    expect(verdict).toMatchObject({ is: 'beyond', digest: deletions.waiting('c', limits)?.digest });
  });
});
