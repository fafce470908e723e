// The machine's date is set while objects wait. Nothing that waits may notice.
import { describe, expect, onTestFinished, test } from 'vitest';
import { Controller } from '../../../src/controller/controller.ts';
import { Unvisited } from '../../../src/controller/index/unvisited.ts';
import { WorkQueue } from '../../../src/controller/queue/workqueue.ts';
import { ApiError, type Outcome } from '../../../src/core/errors.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { chain, leaf, works } from '../chain.ts';
import type { Perform } from '../bench.ts';
import { settle, TestClock } from './workqueue-bench.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const todayMs = Date.parse('2026-03-01T00:00:00.000Z');

const notYet: Outcome = {
  is: 'rejected',
  error: new ApiError('waiting', 'NotYetConsistent', 'not yet'),
};

/** A whole controller on the chain, under two clocks; the leaf can't be made for as long as `broken`. */
async function running() {
  const clock = new TestClock();
  const date = { aheadMs: 0 };
  const tried: number[] = [];
  const service = { broken: true, started: false };
  const perform: Perform = (connection, effect) => {
    if (effect !== 'make' || !service.broken || !service.started) return works(connection, effect);
    tried.push(clock.nowMs());
    return notYet;
  };
  const world = await chain(
    perform,
    {},
    {
      nowMs: () => clock.nowMs(),
      wallMs: () => todayMs + clock.nowMs() + date.aheadMs,
    },
  );
  service.started = true;
  const queue = new WorkQueue({ clock, keysMax: 100 });
  const controller = new Controller({ ports: world.ports, queue, unvisited: new Unvisited(), workers: 1 });
  await controller.list();
  controller.run();
  for (const key of world.source.keys()) controller.request(key);
  onTestFinished(() => controller.stop(0));
  /** In steps, so that one visit can lead to the next. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.advance(1_000);
      for (let turn = 0; turn < 20; turn++) await settle();
    }
  };
  return { clock, date, tried, service, world, pass };
}

/** When it was tried, with the date set by `stepMs` after the first time and back again later. */
async function triesWith(stepMs: number): Promise<readonly number[]> {
  const { date, tried, pass } = await running();
  await pass(2_000);
  expect(tried.length).toBeGreaterThan(0);
  date.aheadMs = stepMs;
  await pass(60_000);
  date.aheadMs = 0;
  await pass(60_000);
  return tried;
}

test('set back three hours, the date held every retry for three hours: what failed is tried as if it had not been set', async () => {
  const tries = await triesWith(0);
  expect(tries.length).toBeGreaterThan(5);
  for (const stepMs of [-3 * hourMs, 3 * hourMs, -dayMs, dayMs])
    expect(await triesWith(stepMs)).toEqual(tries);
});

test('what people read is the date all the same', async () => {
  const { clock, date, service, world, pass } = await running();
  date.aheadMs = dayMs;
  service.broken = false;
  await pass(60_000);
  const { status: memory } = world.source.read(`Leaf/${leaf.namespace}/${leaf.name}`) ?? {};
  const since = Date.parse(conditionOf(memory?.conditions ?? [], 'Ready')?.lastTransitionTime ?? '');
  expect(since).toBeGreaterThan(todayMs + dayMs);
  expect(since).toBeLessThanOrEqual(todayMs + dayMs + clock.nowMs());
});

describe('a removal whose answer was lost may still arrive', () => {
  const lost: Outcome = {
    is: 'unknown',
    error: new ApiError('timeout', 'InvalidResponse', 'no answer', { mayHaveHadEffect: true }),
  };
  const perform: Perform = (connection, effect) => (effect === 'delete' ? lost : works(connection, effect));
  /** Leaving, its removals all unanswered. */
  async function leaving() {
    const clock = { ms: 1_000 };
    const clocks = { nowMs: () => clock.ms, wallMs: () => todayMs };
    const world = await chain(perform, {}, clocks);
    await world.visit('Leaf/shop/leaf');
    world.source.declare({ key: leaf, spec: {}, deleting: true });
    const visitAfter = async (ms: number, at = world) => {
      clock.ms += ms;
      at.source.log.length = 0;
      const visit = await at.visit('Leaf/shop/leaf');
      return at.source.log.includes('first: delete') ? 'deleted' : visit?.requeueMs;
    };
    return { world, clocks, visitAfter };
  }

  test('each is waited for: sooner, it would hit the next of that name', async () => {
    const { visitAfter } = await leaving();
    expect(await visitAfter(1)).toBe('deleted');
    expect([await visitAfter(500), await visitAfter(2_999)]).toEqual([3_000, 1]);
    expect(await visitAfter(1)).toBe('deleted');
    expect([await visitAfter(500), await visitAfter(2_999)]).toEqual([3_000, 1]);
  });

  test('the next process waits anew, for it can not know how long ago it was', async () => {
    const { world, clocks, visitAfter } = await leaving();
    await visitAfter(1);
    await visitAfter(500);
    const next = world.restarted(perform, clocks);
    for (const key of ['Conn/first', 'Conn/second', 'Part/shop/part']) await next.visit(key);
    expect(await visitAfter(3_600_000, next)).toBe(3_000);
    expect(await visitAfter(3_000, next)).toBe('deleted');
  });
});
