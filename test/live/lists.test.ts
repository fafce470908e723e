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

/** How long (ms) it waits after lists that took so long, until it asks whether anything moved. */
async function waits(tookMs: number, isTold: boolean): Promise<readonly number[]> {
  const waited: number[] = [];
  let nowMs = 0;
  const asked = Promise.withResolvers<void>();
  const watch = new VolumeWatch({
    connection: connectionNamed('main'),
    changed: () => {},
    complete: () => {},
    trouble: asked.reject,
    clock: {
      nowMs: () => nowMs,
      wallMs: () => 0,
      setTimer(ms, fire) {
        waited.push(ms);
        setImmediate(fire);
        return () => {};
      },
    },
    random: () => 0,
    single: false,
    isTold: () => isTold,
    client: {
      page: async (_, { wait }: { readonly wait?: number }) => {
        nowMs += tookMs;
        if (wait === undefined) return page({ names: ['a'] }, 1);
        asked.resolve();
        return new Promise<never>(() => {});
      },
    },
  });
  watch.start();
  await asked.promise;
  return waited;
}

test('lists of a table that always moves are rare, and rarer where the event stream tells of what moves', async () => {
  expect(await waits(10, false)).toEqual([200]);
  expect(await waits(10, true)).toEqual([200, 600]);
  expect(await waits(10_000, true)).toEqual([30_000, 30_000]);
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
