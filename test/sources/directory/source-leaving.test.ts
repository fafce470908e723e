import { describe, expect, test } from 'vitest';
import { ApiError, ConflictError } from '../../../src/core/errors.ts';
import { keyText } from '../../../src/core/resource.ts';
import { connection, declared, memory, volume } from './state/data.ts';
import { Bench } from './source-support.ts';

const key = volume('data');
const other = volume('other');
const data = keyText(key);
const through = keyText(connection);
const quietMs = 2_000;
const problem = { message: 'is not YAML', origin: 'broken.yaml' };

/** Two objects, of which `data` is leaving. */
async function departing(): Promise<Bench> {
  const bench = await (await Bench.set(declared(key), declared(other))).start();
  await bench.source.hold(data, bench.row(key).object.uid);
  await bench.change({ objects: [declared(other)] });
  await bench.wait(quietMs);
  expect(bench.row(key).object.deleting).toBe(true);
  bench.told();
  return bench;
}

describe('an object that is leaving', () => {
  test('and is declared again stays: same identity, nothing forgotten', async () => {
    const bench = await departing();
    const before = bench.row(key);
    await bench.change({ objects: [declared(key), declared(other)] });
    const object = { ...before.object, deleting: false, generation: before.object.generation + 1 };
    expect(bench.row(key)).toEqual({ ...before, object });
    expect(bench.told()).toEqual([`${data} edited`]);
  });

  test.each([
    { why: 'removed by Holdfast', removed: true },
    { why: 'kept outside: what was kept was once destroyed under the same UID', removed: false },
  ])('is released, and another one of this name is another one: $why', async ({ removed }) => {
    const bench = await departing();
    const { uid } = bench.row(key).object;
    await bench.source.release(data, uid, { removed });
    expect(bench.source.read(data)).toBeUndefined();
    const again = await (await bench.restarted()).start();
    await again.change({ objects: [declared(key), declared(other)] });
    expect(again.row(key).object.uid).not.toBe(uid);
    expect(again.row(key).object).toMatchObject({ generation: 1, held: false });
  });

  test('counts against the limits of its connection, after a restart, too', async () => {
    const bench = await departing();
    await bench.source.release(data, bench.row(key).object.uid, { removed: false });
    expect(bench.source.departed(through)).toEqual([data]);
    const again = await (await bench.restarted()).start();
    expect(again.source.departed(through)).toEqual([data]);
  });

  test('takes requests given by command along', async () => {
    const bench = await departing();
    await bench.source.overlay(data, 'suspend', 'true');
    await bench.source.release(data, bench.row(key).object.uid, { removed: false });
    await bench.change({ objects: [declared(key)] });
    expect(bench.source.read(data)?.object.requests).toEqual({});
  });

  test('and is declared again right before its release is kept if it is still there, made anew if not', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    const { uid } = bench.row(key).object;
    await bench.source.remember(data, uid, memory);
    await expect(bench.source.release(data, uid, { removed: false })).rejects.toThrow(ConflictError);
    expect(bench.row(key)).toMatchObject({ memory, object: { uid } });
    const report = bench.report();
    await bench.source.release(data, uid, { removed: true });
    await report;
    expect(bench.row(key).object.uid).not.toBe(uid);
    expect(bench.row(key).memory).not.toEqual(memory);
  });
});

describe('the last look before something is destroyed', () => {
  test('is a new one, and passes what is as the engine believes', async () => {
    const bench = await departing();
    const { reads } = bench.tree;
    await bench.source.confirm(data, bench.row(key).object.uid, 2, true);
    await bench.source.confirm(keyText(other), bench.row(other).object.uid, 1, false);
    expect(bench.tree.reads).toBe(reads + 2);
  });

  test.each([
    {
      why: 'it is declared again, of which nobody told yet',
      more: { objects: [declared(key), declared(other)] },
      error: ConflictError,
    },
    {
      why: 'it is declared again, if not well',
      more: { problems: [{ ...problem, key: data }] },
      error: ConflictError,
    },
    { why: 'another is leaving under its name', uid: 'another', error: ConflictError },
    { why: 'it is of another generation', generation: 3, error: ConflictError },
    { why: 'it is believed to leave as it did before it came back', generation: 1, error: ConflictError },
    { why: 'it was not leaving', leaves: false, error: ConflictError },
    { why: 'it may stand in what can not be read', more: { problems: [problem] }, error: ApiError },
    { why: 'nobody knows whose tree it is', more: { installation: 'staging' }, error: ApiError },
  ])('stops it where $why', async ({ more = {}, uid, generation = 2, leaves = true, error }) => {
    const bench = await departing();
    Object.assign(bench.tree, more);
    const confirmed = bench.source.confirm(data, uid ?? bench.row(key).object.uid, generation, leaves);
    await expect(confirmed).rejects.toThrow(error);
  });

  test('is not stopped by what is wrong with another object', async () => {
    const bench = await departing();
    bench.tree.problems = [{ ...problem, key: keyText(other) }];
    const confirmed = bench.source.confirm(data, bench.row(key).object.uid, 2, true);
    await expect(confirmed).resolves.toBeUndefined();
  });

  test('stops replacing what is not declared as it was', async () => {
    const bench = await departing();
    const { uid } = bench.row(other).object;
    bench.tree.objects = [declared(other, { spec: { size: 2 } })];
    await expect(bench.source.confirm(keyText(other), uid, 1, false)).rejects.toThrow(ConflictError);
    bench.tree.objects = [];
    await expect(bench.source.confirm(keyText(other), uid, 2, false)).rejects.toThrow(ApiError);
  });

  test('is shared by all who ask meanwhile, and never one that began before they asked', async () => {
    const bench = await departing();
    const { uid } = bench.row(key).object;
    const { reads } = bench.tree;
    const gate = Promise.withResolvers<void>();
    bench.tree.beforeRead = () => gate.promise;
    bench.tree.changed();
    const asked = Array.from({ length: 50 }, () => bench.source.confirm(data, uid, 2, true));
    expect(bench.tree.reads).toBe(reads + 1);
    gate.resolve();
    await Promise.all(asked);
    expect(bench.tree.reads).toBe(reads + 2);
  });
});
