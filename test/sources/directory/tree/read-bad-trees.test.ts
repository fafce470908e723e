// What is wrong with a tree as a whole, and how problems reach people.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderProblem } from '../../../../src/core/text/problem.ts';
import { diskText, installation, look, treeOf } from './support.ts';

const head = 'apiVersion: holdfast.dev/v1alpha1\nkind: Disk\nmetadata: {name: a, namespace: shop}\n';

describe('a tree', () => {
  test('without holdfast.yaml says what to write into it', async () => {
    const tree = treeOf({ 'good.yaml': diskText('good') });
    rmSync(join(tree.root, 'holdfast.yaml'));
    const { objects, lines } = await look(tree);
    expect(objects).toEqual(['Disk/shop/good']);
    expect(lines).toHaveLength(1);
    const [, example = ''] = /looks like this: (.*)$/.exec(lines[0] ?? '') ?? [];
    tree.write('holdfast.yaml', example);
    expect(await tree.reader().read()).toMatchObject({ installation: 'my-cluster', problems: [] });
  });

  test.each([
    { why: 'no name', text: installation.replace('name: lab', ''), line: /metadata\/name: is required/ },
    { why: 'a bad name', text: installation.replace('lab', 'La b'), line: /metadata\/name: expected a name/ },
    { why: 'another version', text: installation.replace('v1alpha1', 'v2'), line: /apiVersion: expected/ },
    { why: 'broken', text: 'x: [', line: /invalid YAML/ },
    { why: 'two of them', text: `${installation}---\n${installation}`, line: /declared twice/ },
  ])('whose holdfast.yaml is wrong is told so once: $why', async ({ text, line }) => {
    const { lines } = await look(treeOf({ 'holdfast.yaml': text }));
    expect(lines).toEqual([expect.stringMatching(line)]);
  });

  test('that is not there is one problem, and not an emptied tree', async () => {
    const tree = treeOf();
    rmSync(tree.root, { recursive: true });
    expect((await look(tree)).lines).toEqual([".: the directory can't be read: no such file or directory"]);
  });

  // Node makes U+FFFD of such bytes, and nothing is there under that name: "no such file" was said of a file that is there.
  test('with names that are not UTF-8 says so, instead of that they are not there', async () => {
    const tree = treeOf({ 'a.yaml': diskText('a') });
    const latin1 = (name: string) =>
      Buffer.concat([Buffer.from(`${tree.root}/`), Buffer.from(name, 'latin1')]);
    writeFileSync(latin1('café.yaml'), diskText('b'));
    mkdirSync(latin1('dé'));
    symlinkSync('a.yaml', latin1('é.yaml'));
    const { objects, lines } = await look(tree);
    expect(objects).toEqual(['Disk/shop/a']);
    expect(lines.toSorted()).toEqual([
      "caf\uFFFD.yaml: can't be read: its name is not UTF-8; rename it",
      "d\uFFFD: the directory can't be read: its name is not UTF-8; rename it",
      "\uFFFD.yaml: symbolic link can't be followed: its name is not UTF-8; rename it",
    ]);
  });

  test('that declares an object twice uses the first and names both places', async () => {
    const tree = treeOf({
      'a/x.yaml': diskText('twin', '{size: 1}'),
      'a.yaml': `# first by path\n${diskText('twin', '{size: 2}')}---\n${diskText('twin', '{size: 3}')}`,
    });
    const { objects, problems } = await tree.reader().read();
    expect(objects.get('Disk/shop/twin')?.spec).toEqual({ size: 2 });
    expect(problems).toMatchObject([
      { message: 'Disk/shop/twin is declared twice: the one at a.yaml:2 is used', place: { line: 7 } },
      { message: 'Disk/shop/twin is declared twice: the one at a.yaml:2 is used', origin: 'a/x.yaml' },
    ]);
  });

  test.each([
    {
      why: 'files',
      limits: { filesMax: 1 },
      used: ['a'],
      line: '.: holds more than 1 files; the rest is not read',
    },
    {
      why: 'documents',
      limits: { documentsPerFileMax: 1 },
      used: ['a', 'b'],
      line: 'b.yaml: holds more than 1 documents; the rest is not read',
    },
    {
      why: 'objects',
      limits: { objectsMax: 2 },
      used: ['a', 'b'],
      line: 'b.yaml:6:1: Disk/shop/c is one too many: at most 2 objects are read',
    },
  ])('with too many $why is read up to there', async ({ limits, used, line }) => {
    const tree = treeOf({ 'a.yaml': diskText('a'), 'b.yaml': `${diskText('b')}---\n${diskText('c')}` });
    const { objects, lines } = await look(tree, limits);
    expect(objects).toEqual(used.map((name) => `Disk/shop/${name}`));
    expect(lines[0]).toBe(line);
  });

  test('says that YAML directives are not followed, rather than ignoring what they ask for', async () => {
    const { lines } = await look(treeOf({ 'a.yaml': `%YAML 1.1\n---\n${diskText('a')}` }));
    expect(lines).toEqual([
      'a.yaml:1:10: invalid YAML: directives (lines that begin with %) are not supported',
    ]);
  });
});

describe('a problem', () => {
  test('tells which object it is about even where the YAML is broken, so that the object can show it', async () => {
    const tree = treeOf({
      'a.yaml': `${head}spec: {size: [}\n`,
      'b.yaml': diskText('b', '{size: big}'),
      'c.yaml': diskText('c', '{}').replace('spec:', 'specs: {}\nspec:'),
    });
    const { problems } = await tree.reader().read();
    const c = 'Disk/shop/c'; // what stands beside its spec, and what is missing in it
    expect(problems.map(({ key }) => key)).toEqual(['Disk/shop/a', 'Disk/shop/b', c, c]);
    for (const { error, place } of problems) expect(error?.place).toEqual(place);
  });

  test('is shown with its line and a caret', async () => {
    const tree = treeOf({ 'a.yaml': `${head}spec:\n  size: "\t\u202e"   # ${'x'.repeat(200)}\n` });
    const [problem] = (await tree.reader().read()).problems;
    if (problem === undefined) throw new Error('there is no problem');
    const [, line = '', caret] = renderProblem(problem, { color: false }).split('\n');
    expect(line.slice(0, 23)).toBe('   5 |   size: " \ufffd"   #');
    expect(line).toHaveLength('   5 | '.length + 160);
    expect(caret).toBe('     |         ^');
    const painted = renderProblem(problem, { color: true });
    expect(painted).not.toBe(renderProblem(problem, { color: false }));
    expect(stripVTControlCharacters(painted)).toBe(renderProblem(problem, { color: false }));
  });

  test('far to the right is shown without a caret, which would stand anywhere', async () => {
    const tree = treeOf({ 'a.yaml': `${head}spec: {owner: "${' '.repeat(200)}", size: big}\n` });
    const problem = (await tree.reader().read()).problems.find(({ error }) => error?.path === '/spec/size');
    if (problem === undefined) throw new Error('there is no problem');
    expect(problem.place?.column).toBeGreaterThan(200);
    expect(renderProblem(problem, { color: false }).split('\n')).toHaveLength(2);
  });
});
