// Objects of a namespace that is deleted go one by one: what goes is judged once no more have come for a while.
import { expect, test } from 'vitest';
import { DeletionDebounce } from '../../../src/sources/kubernetes/deletion-debounce.ts';
import { ManualClock } from '../../web/fake-view.ts';

function bench() {
  const clock = new ManualClock();
  const deletions = new DeletionDebounce(clock);
  /** Deletions at these times, in milliseconds. @returns when it was known as a whole, by a look each 100 ms */
  const judgedAfter = (...atMs: readonly number[]): readonly number[] => {
    const judged: number[] = [];
    for (let ms = 0; ms <= 60_000; ms += 100, clock.advance(100)) {
      const isDeletion = atMs.includes(ms);
      if (ms > 0 && deletions.hasSynced()) judged.push(ms);
      if (isDeletion) deletions.seen();
    }
    return judged;
  };
  return { clock, deletions, judgedAfter };
}

const every = (ms: number, untilMs: number): readonly number[] =>
  Array.from({ length: untilMs / ms + 1 }, (_, at) => at * ms);

test('where nothing is deleted, nothing is waited for', () => {
  expect(bench().deletions.hasSynced()).toBe(true);
});

test.for<{ why: string; at: readonly number[]; judged: number }>([
  { why: 'one is judged after 2 s', at: [0], judged: 2_000 },
  {
    why: 'those that come within 2 s of each other are judged together',
    at: [0, 1_900, 3_800],
    judged: 5_800,
  },
  { why: 'those that never cease are judged after 20 s', at: every(1_000, 60_000), judged: 20_000 },
])('$why', ({ at, judged }) => {
  expect(bench().judgedAfter(...at)[0]).toBe(judged);
});

test('those that never cease are judged every 20 s, not all the time from then on', () => {
  const judged = bench().judgedAfter(...every(1_000, 60_000));
  expect(judged.filter((ms) => ms % 20_000 === 0)).toEqual([20_000, 40_000, 60_000]);
  expect(judged.length).toBeLessThan(40);
});

test('those that never cease are judged for a second each time, so that all who wait can be visited meanwhile', () => {
  const judged = bench().judgedAfter(...every(500, 60_000));
  const second = Array.from({ length: 10 }, (_, at) => 20_000 + at * 100);
  expect(judged.filter((ms) => ms < 40_000)).toEqual(second);
});

test('it says when it is over at the latest, so that nobody asks in vain', () => {
  const { clock, deletions } = bench();
  const startMs = clock.nowMs();
  deletions.seen();
  clock.advance(1_500);
  deletions.seen();
  expect(deletions.syncedByMs()).toBe(startMs + 20_000);
  clock.advance(2_000);
  expect(deletions.syncedByMs()).toBe(clock.nowMs());
});

test('those after two quiet seconds are counted from the first of them, whenever that came', () => {
  const { clock, deletions } = bench();
  deletions.seen();
  clock.advance(2_000); // just quiet
  const startMs = clock.nowMs();
  deletions.seen();
  expect(deletions.syncedByMs()).toBe(startMs + 20_000);
  for (let ms = 0; ms < 20_000; ms += 1_000, clock.advance(1_000)) deletions.seen();
  deletions.seen();
  expect(deletions.hasSynced()).toBe(true);
});

test('everybody who waits goes on as soon as it is over, and not before', async () => {
  const { clock, deletions } = bench();
  const over: string[] = [];
  deletions.seen();
  const all = ['a', 'b'].map((who) => deletions.waitForSync().then(() => over.push(who)));
  clock.advance(1_500);
  deletions.seen();
  clock.advance(1_500);
  await Promise.resolve();
  expect(over).toEqual([]);
  await Promise.resolve();
  clock.advance(500);
  await Promise.all(all);
  expect(over).toEqual(['a', 'b']);
  await deletions.waitForSync();
});

test('a cluster has no files, so nothing is wrong with any', () => {
  expect(bench().deletions.problems()).toEqual([]);
});
