// What a digest stands for is told to whoever keeps the approvals.
import { expect, test } from 'vitest';
import { digestOf, idOf, key, world } from './deletion-world.ts';

test('all that wait for one approval, once, and not what a person has approved', () => {
  const { approvals, full, judged } = world(10, 6);
  approvals.set(key(5), idOf(5));
  const digest = digestOf(full(0));
  expect(digestOf(full(1))).toBe(digest);
  const ids = new Map([0, 1, 2, 3, 4].map((n) => [key(n), idOf(n)]));
  expect(judged).toEqual([{ digest, ids }]);
});

test('what is within the limits needs none', () => {
  const { full, judged } = world(10, 3);
  full(0);
  expect(judged).toEqual([]);
});

test('what is about to be replaced counts for the digest, but waits by its own status: that says what for', () => {
  const { deletions, full, judged } = world(10, 3);
  for (const n of [5, 6]) deletions.announce(key(n), 'c', `disk-${n}`);
  full(0);
  expect(judged.map(({ ids }) => [...ids.keys()])).toEqual([[key(0), key(1), key(2)]]);
});

test('what waits is looked at again where it would wait otherwise: for another approval, by another rule, or for none', () => {
  const { deleted, deletions, put, verdict } = world(10, 4);
  const limits = { perHour: 20, percent: 30 };
  const count = () => deletions.toBeRejudged('c', limits).length;
  expect([count(), count()]).toEqual([4, 0]);
  put(10, false);
  expect([verdict(0), count()]).toEqual(['beyond', 0]);
  deleted.push(key(50)); // the message counts it
  expect(count()).toBe(4);
  deletions.announce(key(9), 'c', 'disk-9');
  expect(count()).toBe(5);
  put(4, true);
  expect(count()).toBe(6);
  for (let n = 11; n < 40; n++) put(n, false);
  expect([count(), count()]).toEqual([6, 0]);
  expect(deletions.toBeRejudged('c', undefined)).toHaveLength(6); // of a connection that can't be read
  expect(count()).toBe(0);
});

test('what was told something else meanwhile is looked at again, though all is as before: it would stay as it was told', () => {
  const { deletions, put, verdict } = world(10, 3);
  const count = () => deletions.toBeRejudged('c', { perHour: 20, percent: 30 }).length;
  expect([verdict(0), count(), count()]).toEqual(['within', 3, 0]);
  put(3, true);
  expect(verdict(0)).toBe('beyond');
  put(3, false);
  expect([count(), count()]).toEqual([3, 0]);
});
