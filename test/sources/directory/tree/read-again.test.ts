// A second look at the same tree: nothing is parsed twice, and nothing old is believed.
import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Scan } from '../../../../src/sources/directory/tree/scan.ts';
import { diskText, treeOf } from './support.ts';

const specOf = (pass: Scan, name = 'a'): unknown => pass.objects.get(`Disk/shop/${name}`)?.spec;

describe('a reader that looks again', () => {
  test('gives the very same specs while files say the same, so that kinds parse them once', async () => {
    const tree = treeOf({ 'a.yaml': diskText('a') });
    const reader = tree.reader();
    const first = specOf(await reader.read());
    expect(specOf(await reader.read())).toBe(first);
    utimesSync(join(tree.root, 'a.yaml'), 1, 1); // a checkout touches files
    expect(specOf(await reader.read())).toBe(first);
    expect(specOf(await reader.read())).toBe(first);
    expect(first).toEqual({ size: 1 });
  });

  test('sees an edit, a new file, one that went away, and one that took its place', async () => {
    const tree = treeOf({ 'a.yaml': diskText('a'), 'gone.yaml': diskText('gone') });
    const reader = tree.reader();
    for (let pass = 0; pass < 3; pass += 1) await reader.read();
    tree.write('a.yaml', diskText('a', '{size: 2}'));
    tree.write('b.yaml', diskText('b'));
    rmSync(join(tree.root, 'gone.yaml'));
    const after = await reader.read();
    expect(specOf(after)).toEqual({ size: 2 });
    expect([...after.objects.keys()]).toEqual(['Disk/shop/a', 'Disk/shop/b']);
    tree.write('a.tmp', diskText('a', '{size: 3}'));
    renameSync(join(tree.root, 'a.tmp'), join(tree.root, 'a.yaml'));
    expect(specOf(await reader.read())).toEqual({ size: 3 });
  });

  // Linux up to 6.12 stamps files by the tick; later ones tell the two writes apart by themselves.
  test('sees an edit of the same length within the same tick of the clock', async () => {
    const tree = treeOf({ 'a.yaml': diskText('a') });
    const file = join(tree.root, 'a.yaml');
    const reader = tree.reader();
    for (let size = 20; size < 70; size += 1) {
      writeFileSync(file, diskText('a', `{size: ${size}}`));
      await reader.read();
      writeFileSync(file, diskText('a', `{size: ${size + 1}}`));
      expect(specOf(await reader.read())).toEqual({ size: size + 1 });
    }
  });

  test('keeps telling of what is wrong, and forgets it once it is right', async () => {
    const tree = treeOf({ 'a.yaml': diskText('a', '{size: big}') });
    const reader = tree.reader();
    const problems = [
      (await reader.read()).problems,
      (await reader.read()).problems,
      (await reader.read()).problems,
    ];
    expect(problems[0]).toHaveLength(1);
    expect(problems[1]).toEqual(problems[0]);
    expect(problems[2]).toEqual(problems[0]);
    tree.write('a.yaml', diskText('a'));
    expect((await reader.read()).problems).toEqual([]);
  });

  test('does not parse a broken document, and those beside it, over and over', async () => {
    const tree = treeOf({ 'a.yaml': `${diskText('a')}---\n${diskText('b', '{size: [}')}` });
    const reader = tree.reader({ previous: () => ({ size: 1 }) });
    const first = await reader.read();
    expect(first.problems).toMatchObject([{ key: 'Disk/shop/b' }]);
    expect(specOf(await reader.read())).toBe(specOf(first));
  });

  test('follows a ConfigMap mount through the swap of its data', async () => {
    const tree = treeOf({
      '..first/a.yaml': diskText('a'),
      '..first/shop/b.yaml': diskText('b'),
      '..second/a.yaml': diskText('a', '{size: 2}'),
      '..second/shop/b.yaml': diskText('b'),
    });
    symlinkSync('..first', join(tree.root, '..data'));
    symlinkSync('..data/a.yaml', join(tree.root, 'a.yaml'));
    symlinkSync('..data/shop', join(tree.root, 'shop'));
    const reader = tree.reader();
    const before = await reader.read();
    expect(before).toMatchObject({ problems: [], files: 3 });
    expect(specOf(before)).toEqual({ size: 1 });
    symlinkSync('..second', join(tree.root, '..data_tmp'));
    renameSync(join(tree.root, '..data_tmp'), join(tree.root, '..data'));
    const after = await reader.read();
    expect(specOf(after)).toEqual({ size: 2 });
    expect(specOf(after, 'b')).toBe(specOf(before, 'b'));
  });
});

describe('a rule about changes', () => {
  test('refuses an edit with its place until the text or what was before it changes', async () => {
    const tree = treeOf({ 'a.yaml': diskText('a', '{size: 1, owner: ann}') });
    const valid = new Map<string, unknown>();
    const reader = tree.reader({ previous: (key) => valid.get(key) });
    valid.set('Disk/shop/a', specOf(await reader.read()));
    tree.write('a.yaml', diskText('a', '{size: 1, owner: bob}'));
    for (let pass = 0; pass < 3; pass += 1) {
      const { objects, problems } = await reader.read();
      expect(objects.size).toBe(0);
      expect(problems).toMatchObject([
        { key: 'Disk/shop/a', place: { line: 4, column: 17 }, error: { path: '/spec/owner' } },
      ]);
    }
    valid.clear(); // the object was let go
    expect(specOf(await reader.read())).toEqual({ size: 1, owner: 'bob' });
  });

  test('is asked of a second declaration only once it is the one that counts', async () => {
    const tree = treeOf({
      'a.yaml': diskText('a', '{size: 1, owner: ann}'),
      'b.yaml': diskText('a', '{size: 1, owner: bob}'),
    });
    const valid = new Map<string, unknown>();
    const reader = tree.reader({ previous: (key) => valid.get(key) });
    for (let pass = 0; pass < 3; pass += 1) valid.set('Disk/shop/a', specOf(await reader.read()));
    expect(valid.get('Disk/shop/a')).toEqual({ size: 1, owner: 'ann' });
    rmSync(join(tree.root, 'a.yaml'));
    const { objects, problems } = await reader.read();
    expect(objects.size).toBe(0);
    expect(problems).toMatchObject([{ origin: 'b.yaml', error: { path: '/spec/owner' } }]);
  });

  test('is asked again of a declaration that was displaced for a while', async () => {
    const tree = treeOf({ 'b.yaml': diskText('a', '{size: 1, owner: ann}') });
    const valid = new Map<string, unknown>();
    const reader = tree.reader({ previous: (key) => valid.get(key) });
    for (let pass = 0; pass < 3; pass += 1) await reader.read();
    tree.write('a.yaml', diskText('a', '{size: 1, owner: bob}'));
    valid.set('Disk/shop/a', specOf(await reader.read()));
    rmSync(join(tree.root, 'a.yaml'));
    expect((await reader.read()).problems).toMatchObject([
      { origin: 'b.yaml', error: { path: '/spec/owner' } },
    ]);
  });
});
