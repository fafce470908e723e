// Lists are hints that may lag behind: one that shows too little must not make a later loss invisible, and one that never
// ends must not be followed for ever.
import { describe, expect, test } from 'vitest';
import { VolumeWatch } from '../../src/live/volumes.ts';
import { connectionNamed } from '../controller/bench.ts';
import { page, volume, type Listed } from './pages.ts';

/** Plays these lists, one after the other, as if the table had moved after each, and then hangs. */
async function told(...lists: readonly Listed[]) {
  const seen: string[][] = [];
  const indexes: number[] = [];
  const trouble: string[] = [];
  const blocked: unknown[] = [];
  const sizes: unknown[] = [];
  /** What was listed of the volume `a` at each page, and once the first list was complete. */
  const known: unknown[] = [];
  const played = Promise.withResolvers<void>();
  let at = 0;
  let index = 1;
  const watch = new VolumeWatch({
    connection: connectionNamed('main'),
    changed: ({ id = '' }, asOf) => {
      seen.at(-1)?.push(id);
      indexes.push(asOf);
    },
    complete: () => known.push('complete', watch.listed({ ...volume, id: 'a' })),
    trouble: (message) => {
      trouble.push(message);
      played.resolve();
    },
    clock: {
      nowMs: () => 0,
      wallMs: () => 0,
      setTimer: (ms, fire) => {
        if (ms === 0) setImmediate(fire);
        return () => {};
      },
    },
    random: () => 0,
    single: false,
    isTold: () => false,
    client: {
      page: async (
        _,
        params: {
          readonly wait?: number;
          readonly next_token?: string;
          readonly index?: number;
          readonly per_page?: number;
        },
      ) => {
        if (params.wait !== undefined) {
          for (const id of lists[at - 1]?.visited ?? []) watch.version({ ...volume, id });
          blocked.push(params.index);
          return page({ names: [] }, ++index);
        }
        if (params.per_page === 1) return page({ names: [] }, index);
        sizes.push(params.per_page);
        const list = lists[at++];
        if (!list) {
          played.resolve();
          return new Promise<never>(() => {});
        }
        if (params.next_token === undefined) seen.push([]);
        known.push(watch.listed({ ...volume, id: 'a' }));
        index = list.index ?? index;
        return page(list, index);
      },
    },
  });
  watch.start();
  await played.promise;
  return { seen, indexes, trouble, blocked, known, sizes };
}

test('what one list lacked is told of again, so that a loss before the next list is heard of', async () => {
  const { seen } = await told({ names: ['a', 'b'] }, { names: ['a'] }, { names: ['a'] }, { names: ['a'] });
  expect(seen).toEqual([['a', 'b'], ['b'], ['b'], ['b']]);
});

test('but not for ever', async () => {
  const none = { names: [] };
  const { seen } = await told({ names: ['a'] }, none, none, none, none, none);
  expect(seen).toEqual([['a'], ['a'], ['a'], ['a'], [], []]);
});

test('what a visit saw and no list had is told of by the first that lacks it: made and lost between two, it stayed lost', async () => {
  const none = { names: [] };
  const lost = await told({ names: [], visited: ['a'] }, none, none, none, none);
  expect(lost.seen).toEqual([[], ['a'], ['a'], ['a'], []]);
  const listed = await told({ names: [], visited: ['a'] }, { names: ['a'] }, { names: ['a'] }, none);
  expect(listed.seen).toEqual([[], ['a'], [], ['a']]);
});

test('what no list ever shows, and each visit sees, is not told of for ever: it may not be listed', async () => {
  const hidden = { names: [], visited: ['a'] };
  const { seen } = await told(hidden, hidden, hidden, hidden, hidden, hidden);
  expect(seen).toEqual([[], ['a'], ['a'], ['a'], [], []]);
});

test('what is back is told of as new', async () => {
  const { seen } = await told({ names: ['a'] }, { names: [] }, { names: ['a'] }, { names: ['a'] });
  expect(seen).toEqual([['a'], ['a'], ['a'], []]);
});

const circle = [
  { names: ['a'], nextToken: 'x' },
  { names: ['b'], nextToken: 'y' },
  { names: ['c'], nextToken: 'x' },
];

test('where pages never end, in a circle or with ever new tokens, the list is asked for at once, also the next time', async () => {
  const whole = { names: ['a', 'b', 'c', 'd'] };
  const { seen, trouble, sizes } = await told(...circle, whole, { names: ['a', 'b', 'c'] });
  expect(trouble).toEqual([]);
  expect(seen).toEqual([['a', 'b', 'c'], ['a', 'b', 'c', 'd'], ['d']]);
  expect(sizes).toEqual([600, 600, 600, undefined, undefined, undefined]);
  const endless = Array.from({ length: 4_001 }, (_, i) => ({ names: [], nextToken: `t${i}` }));
  expect((await told(...endless, whole)).seen.at(-1)).toEqual(['a', 'b', 'c', 'd']);
});

test('if they do not end even then, that is trouble', async () => {
  const { trouble } = await told(...circle, ...circle);
  expect(trouble).toEqual(['volume.list: its pages never end']);
  const endless = Array.from({ length: 8_003 }, (_, i) => ({ names: [], nextToken: `t${i}` }));
  expect((await told(...endless)).trouble).toEqual(['volume.list: its pages never end']);
});

test('where the index of a volume has fallen, as in a cluster that was restored, no earlier look at it counts', async () => {
  const { indexes } = await told({ names: ['a@500'] }, { names: ['a@20'] }, { names: ['a@21'] });
  expect(indexes).toEqual([500, Number.MAX_SAFE_INTEGER, 21]);
});

test('what a list lacks although its index covers it, and what changes meanwhile, is heard of: it blocks on one of before', async () => {
  const { blocked } = await told(
    { names: ['a'], nextToken: 'x', index: 10 },
    { names: ['b'], nextToken: 'y', index: 14 },
    { names: ['c'], index: 17 },
    { names: ['a', 'b', 'c'], index: 25 },
  );
  expect(blocked).toEqual([1, 18]);
});

describe('what is listed of a volume', () => {
  const listed = { version: '7  / /', index: 7 };

  test('is pending until its page was read, and known from then on', async () => {
    const { known } = await told(
      { names: ['b'], nextToken: 'x' },
      { names: ['a'], nextToken: 'y' },
      { names: [] },
    );
    expect(known).toEqual(['pending', 'pending', listed, 'complete', listed]);
  });

  test('is nothing once the first list is complete without it, so that it is read', async () => {
    const { known } = await told({ names: ['b'] }, { names: ['b'] });
    expect(known).toEqual(['pending', 'complete', undefined, undefined]);
  });

  test('is nothing once the first list failed: nobody waits for a list that is denied', async () => {
    const again = [
      { names: ['a'], nextToken: 'x' },
      { names: ['b'], nextToken: 'x' },
    ];
    const { known } = await told(...again, ...again);
    expect(known).toEqual(['pending', listed, listed, listed, 'complete', undefined]);
  });
});
