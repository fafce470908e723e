import { expect, test } from 'vitest';
import { priority, WorkQueue } from '../../../src/controller/queue/workqueue.ts';
import { bench, settle, TestClock } from './workqueue-bench.ts';

test('an edit does not queue behind a backlog, however old that is', async () => {
  const { clock, queue, started, run, end } = bench();
  void run(1);
  for (let i = 0; i < 500; i++) queue.add(`listed-${i}`);
  await settle();
  clock.advance(86_400_000);
  queue.add('edited', { priority: 1 });
  for (let i = 0; i < 2; i++) await end(started.at(-1) ?? '');
  expect(started).toContain('edited');
});

test('what is told in one go is one run, and starts in order of urgency', async () => {
  const { queue, started, run } = bench();
  void run(1);
  queue.add('listed');
  queue.add('edited', { priority: 1 });
  queue.add('edited', { priority: 2 });
  expect(started, 'the caller is not interrupted').toEqual([]);
  await settle();
  expect(started).toEqual(['edited']);
  expect(queue.depth).toBe(1);
});

test('a full queue refuses another key and nothing else', async () => {
  const { queue, run, end } = bench({ keysMax: 2 });
  void run(1);
  queue.add('runs');
  await settle();
  queue.add('waits');
  expect(() => queue.add('third')).toThrow('third: expected at most 2 keys in the queue, got one more');
  queue.add('runs');
  queue.add('waits', { priority: 1 });
  await end('runs');
  queue.forget('runs');
  queue.add('third');
  expect([queue.running, queue.depth]).toEqual([1, 1]);
});

test.each([
  { why: 'a date that could not be read', wish: { notBeforeMs: NaN } },
  { why: 'never is no time', wish: { notBeforeMs: Infinity } },
  { why: 'it would be before all others and after them', wish: { priority: NaN } },
])('refuses a wish that would put the other keys out of order: $why', ({ wish }) => {
  expect(() => bench().queue.add('a', wish)).toThrow(RangeError);
});

test('a timer that comes early starts nothing early', async () => {
  const { clock, queue, started, run } = bench();
  void run(1);
  queue.add('a', { notBeforeMs: clock.nowMs() + 100 });
  clock.set(99);
  clock.fireFirst();
  await settle();
  expect(started).toEqual([]);
  clock.advance(1);
  await settle();
  expect(started).toEqual(['a']);
});

test('a delay is cut into timers of a minute, so that a clock set forward is noticed and no timer overflows', async () => {
  const { clock, queue, started, run } = bench();
  void run(1);
  queue.add('a', { notBeforeMs: clock.nowMs() + 40 * 86_400_000 });
  clock.advance(600_000);
  expect(clock.longestTimerMs).toBe(60_000);
  clock.set(40 * 86_400_000);
  clock.advance(60_000);
  await settle();
  expect(started).toEqual(['a']);
});

test('one timer serves all delays, and stopping takes it back', async () => {
  const { clock, queue } = bench();
  for (let i = 0; i < 50; i++) queue.add(`key-${i}`, { notBeforeMs: clock.nowMs() + 1000 - i });
  expect(clock.timers).toBe(1);
  await queue.stop();
  expect(clock.timers).toBe(0);
});

test('a hundred thousand keys due at once become ready over many turns of the event loop', async () => {
  const { clock, queue } = bench({ keysMax: 100_000 });
  const dueMs = clock.nowMs() + 1000;
  for (let i = 0; i < 100_000; i++) queue.add(`key-${i}`, { notBeforeMs: dueMs });
  clock.set(1000);
  clock.tickMs = 0.005;
  for (let ready = 0; queue.delayed > 0; ready = queue.depth) {
    clock.fireFirst();
    expect(queue.depth - ready).toBeGreaterThan(0);
    expect(queue.depth - ready).toBeLessThan(2000);
  }
  await queue.stop();
});

test('runs that end at once, one after the other, leave the event loop its turns', async () => {
  const clock = new TestClock();
  const queue = new WorkQueue({ clock, keysMax: 10_000 });
  const ran: string[] = [];
  void queue.run(4, (key) => {
    ran.push(key);
    return Promise.resolve(undefined);
  });
  for (let i = 0; i < 10_000; i++) queue.add(`key-${i}`);
  clock.tickMs = 0.005;
  for (let before = 0; ran.length < 10_000; before = ran.length) {
    await settle();
    expect(ran.length - before).toBeGreaterThan(0);
    expect(ran.length - before).toBeLessThan(2000);
    clock.fireFirst();
  }
});

test('an edit in one namespace waits for one of another, not for the thousand that were ready before: tenants share the queue', async () => {
  const at = bench({ keysMax: 2_000 });
  for (let n = 0; n < 1_000; n++) at.queue.add(`Toy/many/${n}`, { priority: priority.edited });
  void at.run(1);
  await settle();
  for (const key of ['Toy/few/a', 'Toy/few/b', 'Toy/one/c']) at.queue.add(key, { priority: priority.edited });
  for (let n = 0; n < 6; n++) await at.end(at.started.at(-1) ?? '');
  expect(at.started).toEqual([
    'Toy/many/0',
    'Toy/few/a',
    'Toy/one/c',
    'Toy/many/1',
    'Toy/few/b',
    'Toy/many/2',
    'Toy/many/3',
  ]);
});

test('a walk over all keys leaves out those that started since it began: they would run twice, and nothing has changed for them', async () => {
  const at = bench();
  at.queue.add('before');
  void at.run(3);
  await settle();
  const walk = at.queue.unstarted(['first', 'before', 'since', 'ended', 'never']);
  expect(walk.next().value).toBe('first');
  for (const key of ['since', 'ended']) {
    at.queue.add(key);
    await settle();
  }
  await at.end('ended');
  expect([...walk]).toEqual(['before', 'never']);
  expect([...at.queue.unstarted(['since'])]).toEqual(['since']);
});

test('stopping waits for what runs, and for nothing else', async () => {
  const { queue, run, end, started } = bench();
  const ended = run(2);
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await settle();
  let stopped = false;
  const stopping = queue.stop().then(() => (stopped = true));
  await end('a', {});
  expect(stopped).toBe(false);
  await end('b');
  await Promise.all([stopping, ended]);
  expect(started).toEqual(['a', 'b']);
});

test('what was told right before the stop does not start after it', async () => {
  const { queue, run, started } = bench();
  void run(1);
  queue.add('a');
  await queue.stop();
  await settle();
  expect(started).toEqual([]);
});

test('once stopped, nothing is taken in any more, so that nothing keeps the process alive', async () => {
  const { clock, queue, run, end } = bench();
  void run(1);
  queue.add('a');
  await settle();
  clock.advance(0);
  const stopped = queue.stop();
  queue.add('b');
  queue.add('c', { notBeforeMs: clock.nowMs() + 100 });
  await end('a', { notBeforeMs: clock.nowMs() + 100 });
  await stopped;
  expect([queue.depth, clock.timers]).toEqual([0, 0]);
});

test.each([
  { why: 'rejects', handle: () => Promise.reject(new Error('a bug')), error: 'a bug' },
  {
    why: 'throws',
    handle: () => {
      throw new Error('a bug');
    },
    error: 'a bug',
  },
  { why: 'wishes for no time', handle: () => Promise.resolve({ notBeforeMs: NaN }), error: 'finite' },
])('a bug ends the run instead of losing a key in silence: the handler $why', async ({ handle, error }) => {
  const queue = new WorkQueue({ clock: new TestClock(), keysMax: 10 });
  const other = Promise.withResolvers<undefined>();
  const started: string[] = [];
  const ended = queue.run(2, (key) => {
    started.push(key);
    return key === 'a' ? handle() : other.promise;
  });
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await expect(ended).rejects.toThrow(error);
  other.resolve(undefined);
  await settle();
  expect(started, 'nothing new starts after a bug').not.toContain('c');
});

test('one pass can await that everything is done without asking again and again', async () => {
  const { clock, queue, run, end } = bench();
  const seen: string[] = [];
  const watch = async (): Promise<void> => {
    for (;;) {
      await queue.busy();
      seen.push('busy');
      await queue.idle();
      seen.push('idle');
    }
  };
  void watch();
  void run(1);
  await settle();
  expect(seen, 'nothing was told yet').toEqual([]);
  queue.add('a');
  queue.add('b');
  await settle();
  await end('a', { notBeforeMs: clock.nowMs() + 100 });
  expect(seen, 'b still runs').toEqual(['busy']);
  await end('b');
  expect(seen, 'a delayed key is no work').toEqual(['busy', 'idle']);
  clock.advance(100);
  await settle();
  queue.add('b');
  await end('a');
  queue.add('b');
  expect(seen).toEqual(['busy', 'idle', 'busy']);
  await end('b');
  expect(seen, 'b was wished for again').toEqual(['busy', 'idle', 'busy']);
  await end('b');
  expect(seen).toEqual(['busy', 'idle', 'busy', 'idle']);
});

test('forgetting the last ready key makes the queue idle', async () => {
  const { queue } = bench();
  queue.add('a');
  const idle = queue.idle();
  queue.forget('a');
  await idle;
  expect(queue.depth).toBe(0);
});

test('metrics learn how long keys waited and how long they ran', async () => {
  const clock = new TestClock();
  const told: string[] = [];
  const observer = {
    added: () => told.push('added'),
    started: (ms: number) => told.push(`started after ${ms}`),
    ended: (ms: number) => told.push(`ended after ${ms}`),
  };
  const queue = new WorkQueue({ clock, keysMax: 10, observer });
  const { promise, resolve } = Promise.withResolvers<undefined>();
  queue.add('a', { notBeforeMs: clock.nowMs() + 100 });
  clock.advance(130);
  void queue.run(1, () => promise);
  await settle();
  clock.advance(7);
  expect(queue.longestRunMs).toBe(7);
  resolve(undefined);
  await settle();
  expect(queue.longestRunMs).toBe(0);
  expect(told).toEqual(['added', 'started after 30', 'ended after 7']);
});
