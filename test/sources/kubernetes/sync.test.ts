// What may be missing from what is known of a cluster: what was declared while a watch was not open, and what is about to go.
import { expect, test } from 'vitest';
import { DeletionDebounce } from '../../../src/sources/kubernetes/deletion-debounce.ts';
import { ClusterSync } from '../../../src/sources/kubernetes/sync.ts';
import { ManualClock } from '../../web/fake-view.ts';

/** @param namespace that of the collections; empty: all */
function bench(namespace = '') {
  const clock = new ManualClock();
  const deletions = new DeletionDebounce(clock);
  const sync = new ClusterSync(deletions);
  const [shop, blog, volumes] = ['csisnapshots', 'csisnapshots', 'csivolumes'].map((plural) =>
    sync.collection({ plural, namespace }),
  );
  const open = () => [shop, blog, volumes].forEach((watched) => watched?.(true));
  return { clock, deletions, sync, shop, blog, volumes, open };
}

test('nothing is known as a whole before each collection is watched: the last one may hold who still needs it', () => {
  const { sync, shop, blog, volumes } = bench();
  shop?.(true);
  volumes?.(true);
  expect(sync.hasSynced()).toBe(false);
  blog?.(true);
  expect(sync.hasSynced()).toBe(true);
  volumes?.(false);
  expect(sync.hasSynced()).toBe(false);
});

test('the collections that are not watched are named, each once, and no namespaces: tenants read that', () => {
  const { sync, open, shop, blog } = bench();
  expect(sync.unknown()).toBe("csisnapshots, csivolumes can't be watched now");
  open();
  expect(sync.unknown()).toBeUndefined();
  for (const watched of [shop, blog]) watched?.(false);
  expect(sync.unknown()).toBe("csisnapshots can't be watched now");
  expect(sync.problems()).toEqual([]);
});

test('where namespaces are chosen, whoever runs Holdfast learns from the log which one it is, and tenants do not', () => {
  const { sync, open, shop } = bench('shop');
  open();
  shop?.(false);
  expect(sync.unknown()).toBe(
    "csisnapshots can't be watched in a chosen namespace now (the log says in which)",
  );
});

test('more deletions may follow one, with all watches open', () => {
  const { sync, open, deletions, clock } = bench();
  open();
  deletions.seen();
  expect(sync.hasSynced()).toBe(false);
  clock.advance(2_000);
  expect(sync.hasSynced()).toBe(true);
});

test('when that ends is known, unless it ends with a watch that is not open', () => {
  const { sync, open, shop, deletions, clock } = bench();
  open();
  const startMs = clock.nowMs();
  deletions.seen();
  expect(sync.syncedByMs()).toBe(startMs + 20_000);
  shop?.(false);
  expect(sync.syncedByMs()).toBeUndefined();
});

test('everybody who waits goes on once both are over, whichever is last', async () => {
  const { sync, open, deletions, clock, shop } = bench();
  const over: string[] = [];
  const first = sync.waitForSync().then(() => over.push('first'));
  deletions.seen();
  open();
  shop?.(false);
  const second = sync.waitForSync().then(() => over.push('second'));
  clock.advance(2_000);
  await Promise.resolve();
  expect(over).toEqual([]);
  shop?.(true);
  await Promise.all([first, second]);
  await sync.waitForSync();
});
