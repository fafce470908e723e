// A chosen namespace may be deleted, and the permission to watch it goes along. What is declared elsewhere must not wait for it for
// ever, and what is declared in it must not be taken for gone while it is there.
import { describe, expect, test } from 'vitest';
import { Bench, changed, cut, listed, page, refused } from './reflector-bench.ts';

const minuteMs = 60_000;

describe('a namespace that is gone', () => {
  test('is known and empty, so that whoever starts is not held up by it', async () => {
    const bench = new Bench(refused(403));
    bench.isGone = true;
    await bench.reflector.start();
    expect(bench.told).toEqual(['emptied']);
    expect(bench.watched).toEqual([true]);
  });

  test('takes along what was known of it: nobody will tell of its deletion', async () => {
    const bench = await new Bench([listed(7), changed('a', 8), cut], refused(403)).started();
    bench.isGone = true;
    await bench.pass(minuteMs);
    expect(bench.told).toEqual(['7: ', '+a@8', 'emptied']);
    expect(bench.watched).toEqual([true, false, true]);
  });

  test('is listed when it is there again, and not known until then: half a list is nothing', async () => {
    const end = Promise.withResolvers<ReturnType<typeof listed>>();
    const bench = new Bench(refused(403), [changed('a', 8), end.promise]);
    bench.isGone = true;
    await bench.started();
    await bench.pass(minuteMs);
    expect(bench.watched).toEqual([true, false]);
    end.resolve(listed(9));
    await bench.pass(0);
    expect(bench.told).toEqual(['emptied', '9: a']);
    expect(bench.watched.at(-1)).toBe(true);
  });

  test('is not known any more once nobody can tell: it may be there again', async () => {
    const bench = new Bench(refused(403), refused(403));
    bench.isGone = true;
    await bench.started();
    bench.isGone = false;
    await bench.pass(minuteMs);
    expect(bench.watched).toEqual([true, false]);
    expect(bench.told).toEqual(['emptied']);
  });

  test('is told of once, also after another trouble: the log is where people look', async () => {
    const bench = await new Bench(...Array.from({ length: 6 }, () => refused(403))).started();
    await bench.pass(minuteMs);
    bench.isGone = true;
    await bench.pass(minuteMs);
    await bench.pass(minuteMs);
    expect(bench.troubles).toEqual([refused(403).message, 'there is no such namespace']);
  });

  test('has nothing that was declared up to a version: no destruction elsewhere waits for a list of it', async () => {
    const bench = await new Bench([listed(7)], refused(403)).started();
    bench.isGone = true;
    await bench.reflector.reach('8');
    expect(bench.told).toEqual(['7: ']); // the watch is open, and tells what is gone
  });

  test('that is there again holds up whoever has to know what is declared in it', async () => {
    const bench = new Bench(refused(403), refused(403), page(20, ['a']));
    bench.isGone = true;
    await bench.started();
    bench.isGone = false;
    await expect(bench.reflector.reach('8')).rejects.toMatchObject({ status: 403 });
    const again = bench.reflector.reach('8');
    await bench.pass(1_000);
    await again;
    expect(bench.told.at(-1)).toBe('20: a');
  });
});

test.for([500, 503, 429, 401])('after %s nobody asks whether it is gone: nothing says so', async (status) => {
  const bench = new Bench(refused(status));
  bench.isGone = true;
  await bench.started();
  expect(bench.told).toEqual([]);
  expect(bench.watched).toEqual([]);
});
