// What a reflector makes of all that an API server may do: it tells what there is, and in the end nothing else.
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import {
  Bench,
  bookmark,
  changed,
  cut,
  deleted,
  expired,
  listed,
  page,
  refused,
  unreadable,
  type Answer,
} from './reflector-bench.ts';

const times = (count: number, answer: Answer): readonly Answer[] =>
  Array.from({ length: count }, () => answer);
const minuteMs = 60_000;

describe('a list as a watch sends it', () => {
  test('is told as a whole, and what changes from then on one by one', async () => {
    const events = [changed('a', 3), changed('b', 4), deleted('b', 5), changed('c', 6), listed(7)];
    const bench = await new Bench([...events, changed('a', 8), deleted('c', 9)]).started();
    expect(bench.asked).toEqual(['watch with list']);
    expect(bench.told).toEqual(['7: a c', '+a@8', '-c']);
  });

  test('that is not whole is told not at all: what is missing would be taken for gone', async () => {
    const bench = await new Bench([changed('a', 3), bookmark(3), cut], [changed('a', 3), 'end']).started();
    await bench.pass(minuteMs);
    await bench.pass(minuteMs);
    expect(bench.asked).toEqual(Array(3).fill('watch with list'));
    expect(bench.told).toEqual([]);
  });

  test('that never gets to its end is trouble, and is asked for ever more seldom', async () => {
    const broken = [changed('a', 3), cut];
    const bench = await new Bench(...times(100, broken)).started();
    for (let second = 0; second < 300; second++) await bench.pass(1_000);
    expect(bench.troubles).toEqual([cut.message]);
    expect(bench.asked.length).toBeLessThan(25);
  });

  test.for([400, 422])(
    'is given up for pages where the API server answers %s: it is too old',
    async (status) => {
      const bench = await new Bench(refused(status), page(5, ['a'], 'more'), page(5, ['b']), [
        changed('a', 6),
      ]).started();
      expect(bench.asked).toEqual(['watch with list', 'list first', 'list more', 'watch 5']);
      expect(bench.told).toEqual(['5: a b', '+a@6']);
      expect(bench.troubles).toEqual([]);
    },
  );
});

describe('pages', () => {
  test('that expire within the list are all asked for again', async () => {
    const bench = await new Bench(
      refused(400),
      page(5, ['a'], 'more'),
      expired,
      page(9, ['b'], 'other'),
      page(9, ['c']),
      [],
    ).started();
    await bench.pass(minuteMs);
    expect(bench.asked.slice(1)).toEqual(['list first', 'list more', 'list first', 'list other', 'watch 9']);
    expect(bench.told).toEqual(['9: b c']);
  });
});

describe('a watch', () => {
  test.for<{ why: string; ends: Answer; asks: string }>([
    { why: 'that the API server ends goes on where it was', ends: ['end'], asks: 'watch 8' },
    { why: 'that breaks off goes on where it was', ends: [cut], asks: 'watch 8' },
    {
      why: 'that falls silent goes on where it was',
      ends: [new ApiError('timeout', 'Timeout', 'disks.watch: no answer in time')],
      asks: 'watch 8',
    },
    { why: 'with an error in it goes on where it was', ends: [refused(500)], asks: 'watch 8' },
    {
      why: 'of a quiet kind goes on where the last bookmark was: its version does not expire',
      ends: [bookmark(99), 'end'],
      asks: 'watch 99',
    },
    {
      why: 'goes on from the newest where events came twice',
      ends: [changed('a', 9), changed('a', 8), 'end'],
      asks: 'watch 9',
    },
    { why: 'whose version has expired begins with a list', ends: [expired], asks: 'watch with list' },
    {
      why: 'with a line that is not readable begins with a list: nobody knows what it said',
      ends: [unreadable],
      asks: 'watch with list',
    },
  ])('$why', async ({ ends, asks }) => {
    const bench = await new Bench([
      listed(7),
      changed('a', 8),
      ...(Array.isArray(ends) ? ends : []),
    ]).started();
    await bench.pass(minuteMs);
    expect(bench.asked).toEqual(['watch with list', asks]);
  });

  test.for<{ why: string; error: ApiError; asks: string }>([
    { why: 'with 500', error: refused(500), asks: 'watch 8' },
    { why: 'with 429', error: refused(429), asks: 'watch 8' },
    { why: 'with 404, as while its definition is missing', error: refused(404), asks: 'watch 8' },
    { why: 'as expired', error: expired, asks: 'watch with list' },
  ])('that is refused $why is asked for again', async ({ error, asks }) => {
    const bench = await new Bench([listed(7), changed('a', 8), cut], error, error).started();
    await bench.pass(minuteMs);
    await bench.pass(minuteMs);
    expect(bench.asked.slice(-1)).toEqual([asks]);
    expect(bench.asked).toHaveLength(3);
  });

  test('that ends as soon as it has begun is asked for ever more seldom: what ends it may end them all', async () => {
    const bench = await new Bench([listed(7)], ...times(1_000, ['end'])).started();
    expect(bench.asked).toHaveLength(1);
    const short = await new Bench([listed(7), 'end'], ...times(1_000, ['end'])).started();
    for (let second = 0; second < 300; second++) await short.pass(1_000);
    expect(short.asked.length).toBeLessThan(25);
    expect(short.troubles).toEqual(['disks.watch: ended at once']);
  });

  test('that lasts is begun again at once', async () => {
    const bench = new Bench([listed(7), bookmark(8), 'end'], []);
    void bench.reflector.start();
    bench.clock.advance(minuteMs); // passes while the watch runs
    await bench.pass(0);
    expect(bench.asked).toEqual(['watch with list', 'watch 8']);
  });

  test('is followed by a list where who is told of it fails: nothing else would tell it again', async () => {
    const bench = new Bench([listed(7), changed('a', 8)], [changed('a', 8), listed(8)]);
    bench.fails.add('+a@8');
    await bench.started();
    await bench.pass(minuteMs);
    expect(bench.told).toEqual(['7: ', '8: a']);
  });
});

describe('what is older than what was told', () => {
  test('is refused as a list, and asked for again: an API server may be behind', async () => {
    const bench = await new Bench(
      [listed(20), expired],
      [changed('old', 3), listed(15)],
      [changed('new', 18), listed(21)],
    ).started();
    await bench.pass(minuteMs);
    await bench.pass(minuteMs);
    expect(bench.told).toEqual(['20: ', '21: new']);
    expect(bench.troubles).toEqual(['disks.list: version 15 is older than 20', undefined]);
  });

  test('is refused as a list too where the watch has told of what is newer: it would bring back what is gone', async () => {
    const bench = await new Bench(
      [changed('a', 3), listed(10), deleted('a', 30), expired],
      [changed('a', 3), listed(20)],
      [listed(30)],
    ).started();
    await bench.pass(minuteMs);
    await bench.pass(minuteMs);
    expect(bench.told).toEqual(['10: a', '-a', '30: ']);
  });
});

describe('trouble', () => {
  test('is told once it lasts, and once it is over; a watch that breaks once is none', async () => {
    const bench = await new Bench([listed(7), cut], [changed('a', 8), cut], refused(500), refused(500), [
      changed('a', 9),
    ]).started();
    for (let minute = 0; minute < 5; minute++) await bench.pass(minuteMs);
    expect(bench.troubles).toEqual(['disks.watch: 500', undefined]);
  });

  test('is asked about ever more seldom, up to every half minute', async () => {
    const bench = await new Bench(...times(1_000, refused(500))).started();
    for (let second = 0; second < 600; second++) await bench.pass(1_000);
    expect(bench.troubles).toEqual(['disks.watch: 500']);
    expect(bench.asked.length).toBeGreaterThan(20);
    expect(bench.asked.length).toBeLessThan(40);
  });

  test('is asked about no sooner than the API server wants', async () => {
    const bench = await new Bench(refused(429, 50_000), [listed(7)]).started();
    await bench.pass(49_000);
    expect(bench.asked).toHaveLength(1);
    await bench.pass(1_000);
    expect(bench.told).toEqual(['7: ']);
  });
});

describe('it has started', () => {
  test('once all was told, however long that takes', async () => {
    const bench = new Bench(refused(500), refused(500), [listed(7)]);
    let isStarted = false;
    void bench.reflector.start().then(() => (isStarted = true));
    await bench.pass(0);
    expect(isStarted).toBe(false);
    await bench.pass(minuteMs);
    await bench.pass(minuteMs);
    expect(isStarted).toBe(true);
  });

  test('once, though it is asked twice', async () => {
    const bench = new Bench([listed(7)]);
    await Promise.all([bench.reflector.start(), bench.reflector.start()]);
    expect(bench.asked).toEqual(['watch with list']);
  });
});

describe('it stops, and leaves nothing open,', () => {
  test.for<{ when: string; answers: readonly Answer[]; passes: number }>([
    { when: 'while the watch begins', answers: [], passes: 0 },
    { when: 'while a list is sent', answers: [[changed('a', 3)]], passes: 0 },
    { when: 'while it watches', answers: [[listed(7)]], passes: 0 },
    { when: 'while it waits before it tries again', answers: [refused(500)], passes: 0 },
    { when: 'while a page is sent', answers: [refused(400), page(5, ['a'], 'more')], passes: 0 },
    { when: 'between two watches', answers: [[listed(7), cut]], passes: 0 },
    { when: 'once a watch was begun again', answers: [[listed(7), cut], []], passes: minuteMs },
  ])('$when', async ({ answers, passes }) => {
    const bench = await new Bench(...answers).started();
    await bench.pass(passes);
    const asked = bench.asked.length;
    await bench.reflector.stop();
    expect(bench.open).toBe(0);
    await bench.reflector.start(); // whoever waits for the start waits no longer
    await bench.pass(10 * minuteMs);
    expect(bench.asked).toHaveLength(asked);
    expect(bench.troubles).toEqual([]);
  });

  test('before it was started', async () => {
    const bench = new Bench([listed(7)]);
    await bench.reflector.stop();
    await bench.reflector.start();
    await bench.pass(minuteMs);
    expect([bench.asked, bench.told]).toEqual([[], []]);
  });
});
