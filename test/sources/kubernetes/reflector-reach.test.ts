// Before something is destroyed, all that was declared before has to be known, and a watch may have been dead for minutes.
import { describe, expect, test } from 'vitest';
import type { WatchEvent } from '../../../src/api/kubernetes/watch.ts';
import { Bench, bookmark, changed, cut, deleted, listed, page, refused } from './reflector-bench.ts';

const minuteMs = 60_000;

describe('what was declared up to a version', () => {
  test.for([
    { by: 'a list', events: [listed(7)] },
    { by: 'an event', events: [listed(5), changed('a', 7)] },
    { by: 'a bookmark', events: [listed(5), bookmark(9)] },
  ])('is known by $by of that version or later: nothing is asked', async ({ events }) => {
    const bench = await new Bench(events).started();
    await bench.reflector.reach('7');
    expect(bench.asked).toEqual(['watch with list']);
  });

  test('is listed where the watch is silent, and known at once', async () => {
    const bench = await new Bench([listed(7)], page(20, ['last'], 'more'), page(20, ['b'])).started();
    await bench.reflector.reach('8');
    expect(bench.asked.slice(1)).toEqual(['list first', 'list more']);
    expect(bench.told).toEqual(['7: ', '20: last b']);
  });

  test('is listed while no watch can be opened', async () => {
    const bench = await new Bench([listed(7), cut], page(20, ['last'])).started();
    await bench.reflector.reach('20');
    expect(bench.told.at(-1)).toBe('20: last');
  });

  test('can not be known while it can not be listed: whoever asks is told so, and asks again', async () => {
    const bench = await new Bench([listed(7)], refused(403), page(20, ['last'])).started();
    await expect(bench.reflector.reach('8')).rejects.toMatchObject({ status: 403 });
    const again = bench.reflector.reach('8');
    await bench.pass(1_000);
    await again;
    expect(bench.told.at(-1)).toBe('20: last');
  });

  test('goes on being told from there: the watch that was broken is begun after the list', async () => {
    const bench = await new Bench([listed(7), cut], page(20, ['a']), [changed('a', 21)]).started();
    await bench.reflector.reach('8');
    await bench.pass(minuteMs);
    expect(bench.asked.at(-1)).toBe('watch 20');
    expect(bench.told.slice(1)).toEqual(['20: a', '+a@21']);
  });
});

const wait = (bench: Bench, version: string) =>
  Promise.all(Array.from({ length: 1_000 }, () => bench.reflector.reach(version)));

describe('a thousand deletions', () => {
  test('wait for one list', async () => {
    const bench = await new Bench([listed(7)], page(20, [])).started();
    await wait(bench, '20');
    expect(bench.asked).toEqual(['watch with list', 'list first']);
  });

  test('that were marked since a list began wait for another, which begins a second later at the earliest', async () => {
    const first = Promise.withResolvers<ReturnType<typeof page>>();
    const bench = await new Bench([listed(7)], first.promise, page(30, ['late'])).started();
    const earlier = bench.reflector.reach('20');
    await bench.pass(0);
    const all = [earlier, wait(bench, '30')];
    first.resolve(page(20, []));
    await bench.pass(999);
    expect(bench.asked).toEqual(['watch with list', 'list first']);
    await bench.pass(1);
    await Promise.all(all);
    expect(bench.asked).toHaveLength(3);
    expect(bench.told.at(-1)).toBe('30: late');
  });
});

describe('a list beside a watch that goes on', () => {
  test('is not undone by what the watch tells late: what is gone would come back', async () => {
    const late = [Promise.withResolvers<WatchEvent>(), Promise.withResolvers<WatchEvent>()] as const;
    const watch = [listed(7), late[0].promise, deleted('b', 18), late[1].promise];
    const bench = await new Bench(watch, page(20, ['a'])).started();
    await bench.reflector.reach('20');
    late[0].resolve(changed('b', 15));
    late[1].resolve(changed('c', 21));
    await bench.pass(0);
    expect(bench.told).toEqual(['7: ', '20: a', '+c@21']);
  });

  test('is dropped where the watch was faster: it would undo what was told', async () => {
    const [list, event] = [
      Promise.withResolvers<ReturnType<typeof page>>(),
      Promise.withResolvers<WatchEvent>(),
    ];
    const bench = await new Bench([listed(7), event.promise], list.promise).started();
    const known = bench.reflector.reach('20');
    event.resolve(changed('new', 25));
    await bench.pass(0);
    list.resolve(page(20, []));
    await known;
    expect(bench.told).toEqual(['7: ', '+new@25']);
  });
});

describe('a watch is open', () => {
  test('once all was listed, until it ends, and again once it goes on', async () => {
    const bench = await new Bench([changed('a', 3), cut], refused(503), [listed(7), cut], []).started();
    expect(bench.watched).toEqual([false]); // half a list is nothing
    await bench.pass(minuteMs);
    await bench.pass(minuteMs);
    expect(bench.watched).toEqual([false, true, false]);
    await bench.pass(minuteMs);
    expect(bench.watched.at(-1)).toBe(true);
  });

  test('for whoever goes on while it stops: a deletion that is under way is not held up by that', async () => {
    const bench = await new Bench([listed(7)]).started();
    await bench.reflector.stop();
    expect(bench.watched).toEqual([true]);
  });
});
