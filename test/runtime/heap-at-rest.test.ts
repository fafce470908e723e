// Memory is given back when there is nothing to do, and not while there is: a collection would hold up what waits.
import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { collectAtRest, systemHeap } from '../../src/runtime/heap-at-rest.ts';
import { bench, settle } from '../controller/queue/workqueue-bench.ts';

const MiB = 1024 * 1024;

function atWork() {
  const { clock, queue, run, end } = bench();
  const heap = { held: 50 * MiB, collected: 0 };
  const stop = new AbortController();
  void run(1);
  const ended = collectAtRest(
    queue,
    { nowMs: () => clock.nowMs(), setTimer: (ms, fire) => clock.setTimer(ms, fire) },
    { bytes: () => heap.held, collect: () => (heap.collected += 1) },
    stop.signal,
  );
  return {
    heap,
    async work() {
      queue.add('a');
      await settle();
    },
    finish: () => end('a'),
    async pass(ms: number) {
      await settle();
      clock.advance(ms);
      await settle();
    },
    async stop() {
      stop.abort();
      await ended;
      clock.advance(0); // the queue's own
      return clock.timers;
    },
  };
}

test('two seconds after a burst the heap is collected, and not again', async () => {
  const at = atWork();
  await at.work();
  await at.finish();
  await at.pass(1_999);
  expect(at.heap.collected).toBe(0);
  await at.pass(1);
  expect(at.heap.collected).toBe(1);
  await at.pass(60_000);
  expect(at.heap.collected).toBe(1);
});

test('not while something is under way, however long that takes', async () => {
  const at = atWork();
  await at.work();
  await at.pass(60_000);
  expect(at.heap.collected).toBe(0);
  await at.finish();
  await at.pass(2_000);
  expect(at.heap.collected).toBe(1);
});

test('after the next burst only if the heap has grown by something worth it', async () => {
  const at = atWork();
  await at.pass(2_000);
  for (const [grown, times] of [
    [1 * MiB, 1],
    [15 * MiB, 1],
    [16 * MiB, 2],
  ] as const) {
    at.heap.held = 40 * MiB;
    await at.work();
    at.heap.held += grown;
    await at.finish();
    await at.pass(2_000);
    expect(at.heap.collected, `${grown} bytes more`).toBe(times);
  }
});

test('small growth adds up: many short visits would otherwise never be worth it', async () => {
  const at = atWork();
  await at.pass(2_000);
  expect(at.heap.collected).toBe(1);
  at.heap.held = 40 * MiB;
  for (const times of [1, 1, 2]) {
    await at.work();
    at.heap.held += 6 * MiB;
    await at.finish();
    await at.pass(2_000);
    expect(at.heap.collected).toBe(times);
  }
});

test('what V8 gave back late counts as given back', async () => {
  const at = atWork();
  await at.pass(2_000);
  at.heap.held = 90 * MiB;
  for (const [held, times] of [
    [40, 1],
    [56, 2],
  ] as const) {
    await at.work();
    await at.finish();
    await at.pass(2_000);
    at.heap.held = held * MiB;
    await at.work();
    await at.finish();
    await at.pass(2_000);
    expect(at.heap.collected, `${held} MiB`).toBe(times);
  }
});

test('when it is stopped it leaves no timer: a process could not end', async () => {
  const at = atWork();
  await at.work();
  await at.finish();
  expect(await at.stop()).toBe(0);
});

const garbage = (): readonly unknown[] => Array.from({ length: 64 });

test('the heap of this process is collected without any flag of Node', () => {
  const heap = systemHeap();
  expect(heap.bytes()).toBeGreaterThan(MiB);
  for (let i = 0; i < 1_000; i++) garbage();
  const before = getHeapStatistics().used_heap_size;
  heap.collect();
  expect(getHeapStatistics().used_heap_size).toBeLessThan(before);
});
