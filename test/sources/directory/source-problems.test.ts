// What is wrong with files reaches whoever reads the state alone, and the objects whose deletion it holds back.
import { expect, test } from 'vitest';
import { keyText } from '../../../src/core/resource.ts';
import { kindOf } from '../../../src/core/text/problem.ts';
import { openStateReadOnly } from '../../../src/sources/directory/state/snapshot.ts';
import { declared, volume } from './state/data.ts';
import { Bench } from './source-support.ts';

const [key, other] = [volume('data'), volume('other')];
const data = keyText(key);
const place = { file: 'broken.yaml', line: 1, column: 2 };
const problem = { message: 'is not YAML', origin: 'broken.yaml', place, excerpt: 'password: x' };
const noted = async (bench: Bench) => (await openStateReadOnly(bench.state.file))?.problems;

test('an object whose manifest is gone says which files hold its deletion back, until they can be used', async () => {
  const bench = await (await Bench.set(declared(key), declared(other))).start();
  bench.told();
  await bench.change({ objects: [declared(other)], problems: [problem] });
  expect(bench.source.read(data)?.object).toMatchObject({
    deleting: false,
    heldBack: "its manifest is gone, and it is not deleted while 1 file can't be used (broken.yaml)",
  });
  expect(bench.source.read(keyText(other))?.object).not.toHaveProperty('heldBack');
  expect(bench.told()).toEqual([`${data} edited`]);
  await bench.change({ problems: [problem] });
  expect(bench.told()).toEqual([]); // told once
  await bench.change({ problems: [] });
  expect(bench.told()).toContain(`${data} edited`);
  expect(bench.source.read(data)?.object).not.toHaveProperty('heldBack');
});

test('one whose own manifest is broken says that instead', async () => {
  const bench = await (await Bench.set(declared(key))).start();
  await bench.change({ objects: [], problems: [{ ...problem, key: data }] });
  expect(bench.source.read(data)?.object).not.toHaveProperty('heldBack');
});

test('a new object whose manifest is broken is told of: nothing else would show it', async () => {
  const bench = await (await Bench.set(declared(key))).start();
  bench.told();
  const fresh = keyText(volume('fresh'));
  const secret = { ...problem, key: 'Secret/shop/s' };
  await bench.change({ problems: [{ ...problem, key: fresh }, secret] });
  expect(bench.told()).toEqual([`${fresh} edited`]);
});

test('problems are noted in the state without what the file holds, once, and forgotten when they are mended', async () => {
  const bench = await (await Bench.set(declared(key))).start();
  expect(await noted(bench)).toEqual([]);
  await bench.change({ problems: [{ ...problem, key: data }] });
  const { excerpt: _excerpt, ...told } = problem;
  expect(await noted(bench)).toEqual([{ ...told, key: data }]);
  const writes = bench.gate.effects.length;
  await bench.change({});
  expect(bench.gate.effects.length).toBe(writes);
  const again = await (await bench.restarted()).start();
  expect(again.gate.effects.length).toBe(0);
  await again.change({ problems: [] });
  expect(await noted(again)).toEqual([]);
});

test('a tree that is named otherwise while the operator runs is noted: no edit counts any more, and `get` must say so', async () => {
  const bench = await (await Bench.set(declared(key))).start();
  const { problems } = await bench.change({ installation: 'other' });
  const message = expect.stringMatching(/^names the installation "other", but this state belongs to "test"/);
  expect(problems).toEqual([{ origin: 'holdfast.yaml', message }]);
  expect(problems.map(kindOf)).toEqual(['installation']);
  expect(await noted(bench)).toEqual(problems);
  const writes = bench.gate.effects.length;
  await bench.change({});
  expect(bench.gate.effects.length).toBe(writes);
  await bench.change({ installation: 'test' });
  expect(await noted(bench)).toEqual([]);
});

test('a tree that can’t be read is noted, and no longer when it can', async () => {
  const bench = await (await Bench.set(declared(key))).start();
  bench.tree.beforeRead = () => Promise.reject(new Error('EIO: i/o error, scandir'));
  await bench.change({});
  expect(await noted(bench)).toEqual([{ origin: '.', message: 'EIO: i/o error, scandir' }]);
  bench.tree.beforeRead = async () => {};
  await bench.change({});
  expect(await noted(bench)).toEqual([]);
});

test('a state at whose start the tree is another’s keeps the notes about its own', async () => {
  const bench = await (await Bench.set(declared(key))).start();
  await bench.change({ problems: [problem] });
  const again = await bench.restarted();
  Object.assign(again.tree, { installation: 'other' });
  await expect(again.start()).rejects.toThrow('holdfast.yaml names the installation "other"');
  expect(await noted(again)).toHaveLength(1);
  expect((await noted(again))?.[0]?.origin).toBe('broken.yaml');
});

test('many problems are noted, the first ones with as much as people read, the others with less', async () => {
  const bench = await (await Bench.set()).start();
  await bench.change({
    problems: Array.from({ length: 300 }, () => ({ ...problem, message: 'x'.repeat(9_000) })),
  });
  const found = (await noted(bench)) ?? [];
  expect([found.length, found[0]?.message.length, found.at(-1)?.message.length]).toEqual([300, 1_024, 256]);
});
