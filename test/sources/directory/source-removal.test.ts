import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { keyText } from '../../../src/core/resource.ts';
import { declared, volume } from './state/data.ts';
import { Bench } from './source-support.ts';

const key = volume('data');
const other = volume('other');
const data = keyText(key);
const quietMs = 2_000;
const problem = { message: 'is not YAML', origin: 'broken.yaml' };

const leaving = (bench: Bench): readonly string[] =>
  [...bench.state.rows].filter(([, row]) => row.object.deleting).map(([name]) => name);

describe('a manifest that is missing', () => {
  test('is believed to be gone after two seconds of quiet and a second look, and that survives', async () => {
    const bench = await (await Bench.set(declared(key), declared(other))).start();
    bench.told();
    expect((await bench.change({ objects: [declared(other)] })).waiting).toBe(1);
    expect(leaving(bench)).toEqual([]);
    expect(bench.advance(quietMs - 1)).toBe(false);
    expect((await bench.wait(1)).waiting).toBe(0);
    expect(leaving(bench)).toEqual([data]);
    expect(bench.told()).toEqual([`${data} edited`]);
    expect(bench.source.read(data)?.object).toMatchObject({ deleting: true, spec: { size: 1 } });
    const again = await (await bench.restarted()).start();
    expect(leaving(again)).toEqual([data]);
    expect(again.gate.effects).toEqual([]);
  });

  test('holds up what would be done for the object, until it is decided or back', async () => {
    const bench = await (await Bench.set(declared(key), declared(other))).start();
    const isUndecided = () => bench.source.open(data) === undefined;
    await bench.change({ objects: [declared(other)] });
    expect(isUndecided()).toBe(true);
    bench.told();
    await bench.change({ objects: [declared(key), declared(other)] });
    expect(isUndecided()).toBe(false);
    expect(bench.told()).toEqual([`${data} edited`]);
    await bench.change({ objects: [declared(other)] });
    await bench.change({ problems: [problem] });
    expect(isUndecided()).toBe(false); // what is broken may declare it
  });

  test('had a disk made for it as long as the state could not be written: the object is not visited meanwhile', async () => {
    const bench = await (await Bench.set(declared(key), declared(other))).start();
    const isVisited = () => bench.source.open(data) !== undefined;
    await bench.change({ objects: [declared(other)] });
    bench.gate.fault = () => {
      throw new Error('the disk is full');
    };
    bench.told();
    await bench.wait(quietMs);
    expect([isVisited(), leaving(bench), bench.told()]).toEqual([false, [], []]);
    bench.gate.fault = () => {};
    bench.clock.advance(quietMs);
    await bench.change({});
    await bench.wait(quietMs);
    expect([isVisited(), leaving(bench), bench.told()]).toEqual([true, [data], [`${data} edited`]]);
  });

  test('at a start is not believed sooner than at any other time', async () => {
    const bench = await (await (await Bench.set(declared(key))).start()).restarted();
    bench.tree.objects = [];
    bench.clock.advance(10 * quietMs);
    await bench.start();
    expect(leaving(bench)).toEqual([]);
    await bench.wait(quietMs);
    expect(leaving(bench)).toEqual([data]);
  });

  test.each([
    { why: 'the watcher tells of a change', more: {} },
    { why: 'another object changes', more: { objects: [declared(other, { spec: { size: 2 } })] } },
    { why: 'another one goes', more: { objects: [] } },
  ])('waits anew when $why', async ({ more }) => {
    const bench = await (await Bench.set(declared(key), declared(other))).start();
    await bench.change({ objects: [declared(other)] });
    expect(bench.advance(quietMs - 1)).toBe(false);
    await bench.change(more);
    expect(bench.advance(quietMs - 1)).toBe(false);
    expect(leaving(bench)).toEqual([]);
    await bench.wait(1);
    expect(leaving(bench)).toContain(data);
  });

  test.each([
    { why: 'more missing', objects: [] },
    { why: 'another one changed', objects: [declared(other, { spec: { size: 2 } })] },
    { why: 'another one in the place of one', objects: [declared(volume('new'))] },
  ])('waits anew when the second look finds $why, of which the watcher told nothing', async ({ objects }) => {
    const bench = await (await Bench.set(declared(key), declared(other))).start();
    await bench.change({ objects: [declared(other)] });
    bench.tree.objects = objects;
    expect((await bench.wait(quietMs)).waiting).toBeGreaterThan(0);
    expect(leaving(bench)).toEqual([]);
    await bench.wait(quietMs);
    expect(leaving(bench)).toContain(data);
  });

  test('waits anew when the tree is well again, even if the watcher told nothing of it', async () => {
    const bench = await (await Bench.set(declared(key), declared(other))).start();
    await bench.change({ objects: [declared(other)], problems: [problem] });
    bench.clock.advance(quietMs);
    bench.tree.problems = [];
    await bench.open(keyText(other)).confirm();
    expect(leaving(bench)).toEqual([]);
    await bench.wait(quietMs);
    expect(leaving(bench)).toEqual([data]);
  });

  test('that comes back in time was never gone', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    await bench.change({ objects: [] });
    bench.gate.effects.length = 0;
    await bench.change({ objects: [declared(key)] });
    expect(bench.advance(10 * quietMs)).toBe(false);
    expect(bench.gate.effects).toEqual([]);
  });

  test.each([
    { why: 'anything in the tree can not be read', more: { problems: [problem] } },
    { why: 'one document is wrong', more: { problems: [{ ...problem, key: keyText(other) }] } },
    { why: 'the installation is not named', more: { installation: undefined } },
    { why: 'the installation has another name', more: { installation: 'staging' } },
  ])('means nothing where $why, however long that lasts', async ({ more }) => {
    const bench = await (await Bench.set(declared(key))).start();
    expect((await bench.change({ objects: [], ...more })).waiting).toBe(0);
    for (let n = 0; n < 3; n++) {
      bench.clock.advance(quietMs);
      await bench.change({});
    }
    expect(leaving(bench)).toEqual([]);
    // The tree is well again: from now on it counts, not from before.
    await bench.change({ problems: [], installation: 'test' });
    expect(leaving(bench)).toEqual([]);
    await bench.wait(quietMs);
    expect(leaving(bench)).toEqual([data]);
  });

  test('means nothing where the tree can not be read at all, and a look that failed agrees with none', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    const handle = bench.open(data);
    await bench.change({ objects: [] });
    bench.advance(quietMs / 2);
    bench.tree.beforeRead = () => Promise.reject(new Error('the disk is gone'));
    await expect(handle.confirm()).rejects.toThrow(ApiError);
    expect(bench.source.problems()).toEqual([{ message: 'the disk is gone', origin: '.' }]);
    bench.tree.beforeRead = async () => {};
    expect((await bench.wait(quietMs / 2)).waiting).toBe(1);
    expect(leaving(bench)).toEqual([]);
    await bench.wait(quietMs);
    expect(leaving(bench)).toEqual([data]);
  });
});

describe('passes', () => {
  test('never run two at once; a change during one causes exactly one more', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    const gate = Promise.withResolvers<void>();
    let running = 0;
    bench.tree.beforeRead = async () => {
      running += 1;
      expect(running).toBe(1);
      await gate.promise;
      running -= 1;
    };
    for (let n = 0; n < 5; n++) bench.tree.changed();
    gate.resolve();
    await bench.source.waitForSync();
    expect(bench.tree.reads).toBe(1 + 2);
  });

  test('are settled when no removal waits any more', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    await bench.source.waitForSync();
    await bench.change({ objects: [] });
    const ends: string[] = [];
    const settled = bench.source.waitForSync().then(() => ends.push('settled'));
    await bench.change({});
    ends.push('still waiting');
    await bench.wait(quietMs);
    await settled;
    expect(ends).toEqual(['still waiting', 'settled']);
    expect(leaving(bench)).toEqual([data]);
  });

  test('end with the source', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    await bench.change({ objects: [] });
    const settled = bench.source.waitForSync();
    await setImmediate(); // it waits by now
    await bench.source.stop();
    await settled;
    expect([bench.tree.watched, bench.clock.waiting]).toEqual([false, 0]);
    bench.tree.changed();
    expect(bench.tree.reads).toBe(2);
  });

  test('whose result can not be written are told, and made good by the next one', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    bench.gate.fault = () => {
      throw new Error('the disk is full');
    };
    const { problems } = await bench.change({ objects: [declared(key, { spec: { size: 2 } })] });
    expect(problems).toMatchObject([{ message: 'the disk is full' }]);
    expect(bench.row(key).object.generation).toBe(1);
    bench.gate.fault = () => {};
    expect((await bench.change({})).problems).toEqual([]);
    expect(bench.row(key).object.generation).toBe(2);
  });
});

describe('a manifest that could not be used before it went', () => {
  const isRefused = (bench: Bench) => bench.state.rows.get(data)?.object.refused;
  const refused = { ...problem, key: data };

  test('may have asked to keep what an older one let go: that is kept with the object, whoever is restarted', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    await bench.change({ objects: [], problems: [refused] });
    expect(isRefused(bench)).toBe(true);
    const again = await (await bench.restarted()).start();
    expect(again.gate.effects).toEqual([]); // it is noted once
    await again.change({ objects: [], problems: [] });
    await again.wait(quietMs);
    expect(leaving(again)).toEqual([data]);
    expect(again.source.read(data)?.object).toMatchObject({ refused: true, spec: { size: 1 } });
  });

  test('is of no account once a valid one stands there', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    await bench.change({ objects: [], problems: [refused] });
    await bench.change({ objects: [declared(key)], problems: [] });
    expect(isRefused(bench)).toBeUndefined();
  });

  test('is not meant where another of the same name is: the first one counts', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    bench.gate.effects.length = 0;
    await bench.change({ problems: [refused] });
    expect(isRefused(bench)).toBeUndefined();
    expect(bench.gate.effects).toHaveLength(1); // the problem is noted, and nothing of the object
  });
});
