// How often volumes are listed: once in a single pass, and seldom where the event stream tells of them.
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/core/errors.ts';
import { VolumeWatch } from '../../src/live/volumes.ts';
import { connectionNamed } from '../controller/bench.ts';
import { page, volume, type Listed } from './pages.ts';

/** The one list of a single pass. @param random one for each volume of the list */
async function single(answers: readonly (Listed | Error)[], random: readonly number[] = []) {
  const asked: unknown[] = [];
  const drawn = [...random];
  const complete = Promise.withResolvers<void>();
  const watch = new VolumeWatch({
    connection: { ...connectionNamed('main'), namespace: 'default' },
    changed: () => {},
    complete: complete.resolve,
    trouble: (message) => complete.reject(new Error(message)),
    clock: { nowMs: () => 0, wallMs: () => 0, setTimer: () => () => {} },
    random: () => drawn.shift() ?? 0.5,
    single: true,
    isTold: () => false,
    client: {
      page: async (_, params) => {
        asked.push(params);
        const answer = answers[asked.length - 1];
        if (answer instanceof Error || !answer) throw answer ?? new Error('asked once more');
        return page(answer, 1);
      },
    },
  });
  watch.start();
  await complete.promise;
  await watch.stop();
  return { asked, listed: (id: string) => watch.listed({ ...volume, id }) };
}

describe('in a single pass', () => {
  const shown = { version: expect.any(String), index: 7 };
  test('all pages are listed once, and nothing is waited for', async () => {
    const { asked, listed } = await single([{ names: ['a'], nextToken: 'x' }, { names: ['b'] }]);
    expect(asked).toHaveLength(2);
    expect([listed('a'), listed('b'), listed('c')]).toEqual([shown, shown, undefined]);
  });

  test('one volume in twenty is read all the same: nothing else would notice what no list shows', async () => {
    const { listed } = await single([{ names: ['a', 'b', 'c'] }], [0.049, 0.05, 0.9]);
    expect(listed('a')).toBeUndefined();
    expect([listed('b'), listed('c')]).toEqual([shown, shown]);
  });

  test('a list that fails is no trouble: all is read', async () => {
    const { listed } = await single([new Error('no list today')]);
    expect(listed('a')).toBeUndefined();
  });

  test('a token that may not list all namespaces lists its own', async () => {
    const denied = new ApiError('refused', 'PermissionDenied', 'no', { status: 403 });
    const { asked, listed } = await single([denied, { names: ['a'] }]);
    expect(asked).toMatchObject([{ namespace: '*' }, { namespace: 'default' }]);
    expect(listed('a')).toEqual(shown);
  });
});

interface Asked {
  readonly wait?: number;
  readonly next_token?: string;
}

/** A watch that has begun, under a clock in which each wait is over at once. @param answer may let time pass */
function timed(
  isTold: boolean,
  trouble: (message: string) => void,
  answer: (asked: Asked, clock: { nowMs: number }) => ReturnType<typeof page> | Promise<never>,
) {
  const waited: number[] = [];
  const clock = { nowMs: 0 };
  const watch = new VolumeWatch({
    connection: connectionNamed('main'),
    changed: () => {},
    complete: () => {},
    trouble,
    clock: {
      nowMs: () => clock.nowMs,
      wallMs: () => 0,
      setTimer(ms, fire) {
        waited.push(ms);
        clock.nowMs += ms;
        setImmediate(fire);
        return () => {};
      },
    },
    random: () => 0,
    single: false,
    isTold: () => isTold,
    client: { page: async (_, asked: Asked) => answer(asked, clock) },
  });
  watch.start();
  return { watch, waited };
}

/** How long (ms) it waits in lists of so many pages that took so long each, and after them. */
async function waits(
  tookMs: number,
  isTold: boolean,
  { pages = 1, lists = 1 } = {},
): Promise<readonly number[]> {
  let moved = 0;
  const asked = Promise.withResolvers<void>();
  const { waited } = timed(isTold, asked.reject, ({ wait, next_token: at = '0' }, clock) => {
    clock.nowMs += tookMs;
    const next = Number(at) + 1;
    if (wait === undefined)
      return page({ names: [`a${at}`], ...(next < pages && { nextToken: String(next) }) }, 1);
    if (++moved < lists) return page({ names: [] }, moved + 1);
    asked.resolve();
    return new Promise<never>(() => {});
  });
  await asked.promise;
  return waited;
}

test('lists of a table that always moves are rare, and rarer where the event stream tells of what moves', async () => {
  expect(await waits(10, false)).toEqual([200]);
  expect(await waits(10, true)).toEqual([200, 600]);
  expect(await waits(10_000, true)).toEqual([30_000, 30_000]);
});

test('pages are apart while the event stream tells of changes, so that no repair waits for a whole list', async () => {
  const first = [600, 600]; // objects wait for the first list, so it is read at once
  expect(await waits(10, true, { pages: 3, lists: 2 })).toEqual([...first, 600, 600, 600, 600]);
  expect(await waits(10, false, { pages: 3, lists: 2 })).toEqual([600, 600]);
  const long = await waits(5_000, true, { pages: 3, lists: 2 });
  expect(long).toEqual([30_000, 10_000, 10_000, 10_000, 30_000, 10_000]);
});

/** How often a service that answers each blocking query at once, with the same index, is asked in ten minutes. */
async function asksOfOneThatNeverBlocks(): Promise<number> {
  let asks = 0;
  const ended = Promise.withResolvers<void>();
  const { watch } = timed(false, ended.reject, ({ wait }, clock) => {
    clock.nowMs += 10;
    if (wait !== undefined && ++asks && clock.nowMs > 600_000) ended.resolve();
    return page({ names: ['a'] }, 1);
  });
  await ended.promise;
  await watch.stop();
  return asks;
}

test('a service that does not block, or whose index a proxy takes away, is not asked without a pause', async () => {
  expect(await asksOfOneThatNeverBlocks()).toBeLessThan(200);
});

test('what the stream can not tell is listed at once all the same', async () => {
  const aborted = Promise.withResolvers<void>();
  let lists = 0;
  const watch: VolumeWatch = new VolumeWatch({
    connection: connectionNamed('main'),
    changed: () => {},
    complete: () => {},
    trouble: aborted.reject,
    clock: {
      nowMs: () => lists,
      wallMs: () => 0,
      setTimer(ms, fire) {
        if (ms < 60) setImmediate(fire);
        else setImmediate(() => watch.relist()); // while it waits for longer, as the stream tells of all
        return () => {};
      },
    },
    random: () => 0,
    single: false,
    isTold: () => true,
    client: {
      page: async (_, { wait }: { readonly wait?: number }) => {
        if (wait !== undefined) throw new Error('it was to be listed');
        if (++lists > 2) aborted.resolve();
        return page({ names: ['a'] }, 1);
      },
    },
  });
  watch.start();
  await aborted.promise;
  await watch.stop();
  expect(lists).toBeGreaterThan(2);
});
