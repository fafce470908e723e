import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { VisitRequest } from '../../../src/controller/queue/workqueue.ts';
import { bench, settle } from './workqueue-bench.ts';
import { QueueModel } from './workqueue-model.ts';

const keys = fc.constantFrom(
  'K/a',
  'K/b',
  'K/x/c',
  'K/x/d',
  'K/x/e',
  'K/y/f',
  'K/__proto__/g',
  'K/constructor/h',
);
const wishes = fc.record(
  { priority: fc.integer({ min: -1, max: 2 }), delayMs: fc.constantFrom(0, 5, 5, 20, 90_000) },
  { requiredKeys: [] },
);
const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), key: keys, wish: wishes }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('end' as const),
        nth: fc.nat(3),
        wish: fc.option(wishes, { nil: undefined }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 5, 15, 90_000) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key: keys }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  ),
  { maxLength: 60, size: 'max' },
);

test('whatever is told in whatever order, it starts the very keys that a simple model starts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), commands, async (workers, list) => {
      const { clock, queue, started, ends, run, end } = bench();
      const model = new QueueModel(clock.nowMs());
      const ended = run(workers);
      const timed = (wish: { priority?: number; delayMs?: number }): VisitRequest => ({
        ...(wish.priority !== undefined && { priority: wish.priority }),
        ...(wish.delayMs !== undefined && { notBeforeMs: clock.nowMs() + wish.delayMs }),
      });
      for (const c of list) {
        if (c.do === 'add') {
          queue.add(c.key, timed(c.wish));
          model.add(c.key, timed(c.wish));
          continue; // more may be told in the same go
        }
        if (c.do === 'forget') {
          queue.forget(c.key);
          model.waiting.delete(c.key);
          continue;
        }
        await settle();
        model.start(workers);
        const key = c.do === 'end' ? [...model.running.keys()][c.nth] : undefined;
        if (c.do === 'end' && key !== undefined) {
          const wish = c.wish && timed(c.wish);
          await end(key, wish);
          model.end(key, wish);
        } else if (c.do === 'advance') {
          clock.advance(c.ms);
          model.nowMs += c.ms;
          await settle();
        }
        model.start(workers);
        expect(started).toEqual(model.started);
        expect([...ends.keys()].toSorted()).toEqual([...model.running.keys()].toSorted());
        expect([queue.running, queue.depth, queue.delayed, queue.nextDueMs]).toEqual(model.figures);
      }
      await settle();
      model.start(workers);
      const stopped = queue.stop();
      model.stopped = true;
      queue.add('a');
      for (const key of ends.keys()) await end(key, { notBeforeMs: 0 });
      await Promise.all([ended, stopped]);
      clock.advance(1_000_000);
      await settle();
      expect(started, 'nothing starts once stopped').toEqual(model.started);
    }),
    { numRuns: 2000 },
  );
}, 30_000);

const urgentFlood = fc.record({ older: fc.nat(6), workers: fc.integer({ min: 1, max: 3 }) });

test('a flood of urgent keys does not starve the others: with n older ones, a key starts within 8 × (n + 1) starts', async () => {
  await fc.assert(
    fc.asyncProperty(urgentFlood, async ({ older, workers }) => {
      const { queue, started, ends, run, end } = bench();
      for (let i = 0; i < older; i++) queue.add(`older-${i}`);
      queue.add('patient', { priority: -1 });
      void run(workers);
      for (let urgent = 0; !started.includes('patient'); urgent++) {
        queue.add(`urgent-${urgent}`, { priority: 5 });
        const [first] = ends.keys();
        if (first === undefined) await settle();
        else await end(first);
        expect(started.length).toBeLessThanOrEqual(8 * (older + 1));
      }
    }),
    { numRuns: 100 },
  );
}, 30_000);
