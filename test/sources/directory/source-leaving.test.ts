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
async function deleting(): Promise<Bench> {
  const bench = await (await Bench.set(declared(key), declared(other))).start();
  await bench.open(data).hold();
  await bench.change({ objects: [declared(other)] });
  await bench.wait(quietMs);
  expect(bench.row(key).object.deleting).toBe(true);
  bench.told();
  return bench;
}

describe('an object that is leaving', () => {
  test('and is declared again stays: same identity, nothing forgotten', async () => {
    const bench = await deleting();
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
    const bench = await deleting();
    const { uid } = bench.row(key).object;
    await bench.open(data).release({ removed });
    expect(bench.source.read(data)).toBeUndefined();
    const again = await (await bench.restarted()).start();
    await again.change({ objects: [declared(key), declared(other)] });
    expect(again.row(key).object.uid).not.toBe(uid);
    expect(again.row(key).object).toMatchObject({ generation: 1, held: false });
  });

  test('counts against the limits of its connection, after a restart, too', async () => {
    const bench = await deleting();
    await bench.open(data).release({ removed: false });
    expect(bench.state.recentDeletions(through)).toEqual([data]);
    const again = await (await bench.restarted()).start();
    expect(again.state.recentDeletions(through)).toEqual([data]);
  });

  test('takes requests given by command along', async () => {
    const bench = await deleting();
    await bench.source.overlay(data, 'suspend', 'true');
    await bench.open(data).release({ removed: false });
    await bench.change({ objects: [declared(key)] });
    expect(bench.source.read(data)?.object.requests).toEqual({});
  });

  test.for<{ why: string; back: Parameters<Bench['change']>[0] }>([
    { why: 'its manifest is back', back: { objects: [declared(key)] } },
    { why: 'its manifest is back, and can’t be used', back: { problems: [{ ...problem, key: data }] } },
  ])(
    'forgets what was asked of that deletion once $why: a later one would lose a password without a question',
    async ({ back }) => {
      const bench = await deleting();
      await bench.source.overlay(data, 'abandon-root', 'the directory is gone');
      await bench.source.overlay(data, 'suspend', 'true');
      await bench.change(back);
      expect(bench.row(key)).toMatchObject({ object: { deleting: false }, overlay: { suspend: 'true' } });
      await bench.change({ objects: [] });
      expect(bench.source.read(data)?.object.requests).toEqual({ suspend: 'true' });
    },
  );

  test('and is declared again right before its release is kept if it is still there, made anew if not', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    const { uid } = bench.row(key).object;
    await bench.open(data).writeStatus(memory);
    await expect(bench.open(data).release({ removed: false })).rejects.toThrow(ConflictError);
    expect(bench.row(key)).toMatchObject({ status: memory, object: { uid } });
    const report = bench.report();
    await bench.open(data).release({ removed: true });
    await report;
    expect(bench.row(key).object.uid).not.toBe(uid);
    expect(bench.row(key).status).not.toEqual(memory);
  });
});

describe('the last look before something is destroyed', () => {
  test('is a new one, and passes what is as the engine believes', async () => {
    const bench = await deleting();
    const { reads } = bench.tree;
    await bench.open(data).confirm();
    await bench.open(keyText(other)).confirm();
    expect(bench.tree.reads).toBe(reads + 2);
  });

  test.each([
    {
      why: 'it is declared again, of which nobody told yet',
      more: { objects: [declared(key), declared(other)] },
      reason: 'edited',
    },
    {
      why: 'it is declared again, if not well',
      more: { problems: [{ ...problem, key: data }] },
      reason: 'edited',
    },
    { why: 'another is leaving under its name', was: { uid: 'another' }, reason: 'replaced' },
    { why: 'it is of another generation', was: { generation: 3 }, reason: 'edited' },
    {
      why: 'it is believed to leave as it did before it came back',
      was: { generation: 1 },
      reason: 'edited',
    },
    { why: 'it was not leaving', was: { deleting: false }, reason: 'edited' },
    {
      why: 'it may stand in what can not be read',
      more: { problems: [problem] },
      reason: 'DeclarationUnreadable',
    },
    {
      why: 'it may stand in what can not be parsed, though that names another object',
      more: { problems: [{ ...problem, key: keyText(other), unparsed: true }] },
      reason: 'DeclarationUnreadable',
    },
    {
      why: 'nobody knows whose tree it is',
      more: { installation: 'staging' },
      reason: 'DeclarationUnreadable',
    },
  ])('stops it where $why', async ({ more = {}, was = {}, reason }) => {
    const bench = await deleting();
    const handle = await bench.opened(key, was);
    Object.assign(bench.tree, more);
    await expect(handle.confirm()).rejects.toMatchObject({ reason });
  });

  test('is not stopped by what is wrong with another object', async () => {
    const bench = await deleting();
    bench.tree.problems = [{ ...problem, key: keyText(other) }];
    await expect(bench.open(data).confirm()).resolves.toBeUndefined();
  });

  test('stops replacing what is not declared as it was', async () => {
    const bench = await deleting();
    const handle = bench.open(keyText(other));
    bench.tree.objects = [declared(other, { spec: { size: 2 } })];
    await expect(handle.confirm()).rejects.toThrow(ConflictError);
    bench.tree.objects = [];
    const edited = await bench.opened(other, { generation: 2 });
    await expect(edited.confirm()).rejects.toThrow(ApiError);
  });

  test('is shared by all who ask meanwhile, and never one that began before they asked', async () => {
    const bench = await deleting();
    const handle = bench.open(data);
    const { reads } = bench.tree;
    const gate = Promise.withResolvers<void>();
    bench.tree.beforeRead = () => gate.promise;
    bench.tree.changed();
    const asked = Array.from({ length: 50 }, () => handle.confirm());
    expect(bench.tree.reads).toBe(reads + 1);
    gate.resolve();
    await Promise.all(asked);
    expect(bench.tree.reads).toBe(reads + 2);
  });
});
