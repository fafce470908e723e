// What the state keeps of a file, and when it is believed.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declare, type Row } from '../../../../src/sources/directory/state/row.ts';
import type { ReadingChanges, StoredReading } from '../../../../src/sources/directory/tree/stored-reading.ts';
import { diskText, installation, treeOf, type Tree } from './support.ts';

const secret =
  'apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\nstringData: {key: canary}\n';

/** Scans in a process of its own. */
async function scanned(
  tree: Tree,
  rows: ReadonlyMap<string, Row> = new Map(),
  stored: ReadonlyMap<string, StoredReading> = new Map(),
) {
  const scan = await tree.reader({ readings: { program: 'ours', rows, stored } }).read();
  const declared = [...scan.objects].map(
    ([key, one]) => [key, declare(rows.get(key), one, () => key)] as const,
  );
  return { ...scan, rows: new Map(declared), stored: scan.readings?.learnt ?? new Map() };
}

const originsOf = (changes: ReadingChanges | undefined) => changes && [...changes.learnt.keys()];

test('kept are the files that declare objects and nothing else, without any problem', async () => {
  const tree = treeOf({
    'a.yaml': `${diskText('a')}---\n${diskText('b')}`,
    'bad.yaml': `${diskText('c')}---\n${diskText('d', '{size: big}')}`,
    'cut.yaml': `${diskText('e')}---\n${diskText('f', '{size: [')}`,
    'empty.yaml': '# nothing\n',
    'mixed.yaml': `${diskText('g')}---\n${secret}`,
    'secret.yaml': secret,
    'twice.yaml': `${diskText('a')}---\n${diskText('h')}`,
  });
  const { readings, rows } = await scanned(tree);
  expect(originsOf(readings)).toEqual(['a.yaml']);
  const [first, second] = ['a', 'b'].map((name) => rows.get(`Disk/shop/${name}`)?.hash);
  expect(JSON.parse(readings?.learnt.get('a.yaml')?.objects ?? '')).toEqual([
    ['Disk/shop/a', first, 1, 1],
    ['Disk/shop/b', second, 6, 1],
  ]);
});

test('a file with the same bytes is not parsed again: its specs are those of the state', async () => {
  const tree = treeOf({
    'a.yaml': `# ours\n${diskText('a', '{size: 2, owner: ann}', ', labels: {team: red}')}`,
  });
  const first = await scanned(tree);
  const again = await scanned(tree, first.rows, first.stored);
  const [before, now] = [first, again].map(({ objects }) => objects.get('Disk/shop/a'));
  expect(now).toStrictEqual(before);
  expect(now?.spec).toBe(first.rows.get('Disk/shop/a')?.object.spec);
  expect(again.readings).toBeUndefined();
  expect(again.installation).toBe('lab');
});

test('an edited file, a removed one and one that holds a Secret from now on are not kept as they were', async () => {
  const tree = treeOf({ 'a.yaml': diskText('a'), 'b.yaml': diskText('b'), 'c.yaml': diskText('c') });
  const first = await scanned(tree);
  tree.write('a.yaml', diskText('a', '{size: 2}'));
  rmSync(join(tree.root, 'b.yaml'));
  tree.write('c.yaml', `${diskText('c')}---\n${secret}`);
  const { readings, objects } = await scanned(tree, first.rows, first.stored);
  expect(originsOf(readings)).toEqual(['a.yaml']);
  expect(readings?.dropped.toSorted()).toEqual(['b.yaml', 'c.yaml']);
  expect(objects.get('Disk/shop/a')?.spec).toEqual({ size: 2 });
});

test('within one process, too, what changes is kept anew, and what goes is dropped', async () => {
  const tree = treeOf({ 'a.yaml': diskText('a'), 'b.yaml': diskText('b') });
  const reader = tree.reader({ readings: { program: 'ours', rows: new Map(), stored: new Map() } });
  expect(originsOf((await reader.read()).readings)).toEqual(['a.yaml', 'b.yaml']);
  expect((await reader.read()).readings).toBeUndefined();
  tree.write('a.yaml', diskText('a', '{size: 2}'));
  expect((await reader.read()).readings).toMatchObject({ dropped: [] });
  tree.write('a.yaml', diskText('a', '{size: big}'));
  rmSync(join(tree.root, 'b.yaml'));
  const { readings } = await reader.read();
  expect(originsOf(readings)).toEqual([]);
  expect(readings?.dropped.toSorted()).toEqual(['a.yaml', 'b.yaml']);
  expect((await reader.read()).readings).toBeUndefined();
});

test.for<{ readonly title: string; readonly change: (row: Row) => Row | undefined }>([
  { title: 'is not there', change: () => undefined },
  { title: 'has another spec', change: (row) => ({ ...row, object: { ...row.object, spec: { size: 9 } } }) },
  { title: 'has no spec', change: (row) => ({ ...row, object: { ...row.object, spec: null } }) },
  {
    title: 'has another request',
    change: (row) => ({ ...row, object: { ...row.object, requests: { a: 'b' } } }),
  },
  {
    title: 'has another label',
    change: (row) => ({ ...row, object: { ...row.object, labels: { a: 'b' } } }),
  },
  { title: 'was refused since', change: (row) => ({ ...row, hash: '' }) },
])('a file is parsed again if the object in the state $title', async ({ change }) => {
  const tree = treeOf({ 'a.yaml': diskText('a') });
  const { rows, stored, objects } = await scanned(tree);
  const row = rows.get('Disk/shop/a');
  const changed = row && change(row);
  const again = await scanned(tree, new Map(changed && [['Disk/shop/a', changed]]), stored);
  expect(again.objects).toStrictEqual(objects);
  expect(again.objects.get('Disk/shop/a')?.spec).not.toBe(row?.object.spec);
});

test.for<{ readonly title: string; readonly damage: Partial<StoredReading> }>([
  { title: 'is of another program', damage: { program: 'theirs' } },
  { title: 'lacks an object', damage: { objects: '[]' } },
  { title: 'is no JSON', damage: { objects: '[' } },
  { title: 'is of another form', damage: { objects: '[["Disk/shop/a"]]' } },
  { title: 'has another sum', damage: { sum: 'x' } },
])('a record that $title counts as none', async ({ damage }) => {
  const tree = treeOf({ 'a.yaml': diskText('a') });
  const { rows, stored, objects } = await scanned(tree);
  const damaged = new Map([...stored].map(([origin, reading]) => [origin, { ...reading, ...damage }]));
  const again = await scanned(tree, rows, damaged);
  expect(again.objects).toStrictEqual(objects);
  expect(originsOf(again.readings)).toEqual(['a.yaml']);
});

test('a file declares what it did under its own name only', async () => {
  const tree = treeOf({ 'a.yaml': diskText('a') });
  const { rows, stored } = await scanned(tree);
  const [reading] = stored.values();
  const moved = treeOf({ 'b.yaml': diskText('a'), 'holdfast.yaml': installation });
  const again = await scanned(moved, rows, new Map(reading && [['b.yaml', reading]]));
  expect(again.objects.get('Disk/shop/a')).toMatchObject({ origin: 'b.yaml', place: { file: 'b.yaml' } });
  expect(again.objects.get('Disk/shop/a')?.spec).not.toBe(rows.get('Disk/shop/a')?.object.spec);
});
