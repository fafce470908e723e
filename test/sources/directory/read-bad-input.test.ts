// What is wrong in a tree is said once, in words and with its place, and harms nothing else.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { renderProblem } from '../../../src/sources/directory/problem.ts';
import type { TreeReaderOptions } from '../../../src/sources/directory/read.ts';
import { diskText, installation, treeOf, type Tree } from './read-support.ts';

const head = 'apiVersion: holdfast.dev/v1alpha1\nkind: Disk\nmetadata: {name: a, namespace: shop}\n';
const bomb = ['x: &x0 [l, l, l, l, l, l, l, l, l]']
  .concat(Array.from({ length: 9 }, (_, i) => `x${i}: &x${i + 1} [${`*x${i}, `.repeat(9)}]`))
  .join('\n');

/** What is used, and the first line of each problem as a person sees it. */
async function look(
  tree: Tree,
  options: Partial<TreeReaderOptions> = {},
): Promise<{ objects: readonly string[]; lines: readonly string[] }> {
  const { objects, problems } = await tree.reader(options).read();
  const lines = problems.map((problem) => renderProblem(problem, { color: false }).split('\n', 1)[0] ?? '');
  return { objects: [...objects.keys()], lines };
}

describe('a document that is wrong is one line, and the healthy one beside it counts', () => {
  test.each([
    {
      why: 'broken YAML',
      text: `${head}spec: {size: 1\n`,
      line: 'bad.yaml:4:15: invalid YAML: Flow map in block collection must be sufficiently indented and end with a }',
    },
    {
      why: 'a tab as indentation',
      text: `${head}spec:\n\tsize: 1\n`,
      line: /^bad\.yaml:5:1: invalid YAML: Tabs are not allowed/,
    },
    {
      why: 'a key twice',
      text: `${head}spec:\n  size: 1\n  size: 2\n`,
      line: 'bad.yaml:6:3: invalid YAML: duplicate key',
    },
    {
      why: 'an unknown field, at its key',
      text: `${head}spec:\n  size: 1\n  onwer: ann\n`,
      line: 'bad.yaml:6:3: /spec/onwer: unknown field "onwer": did you mean "owner"?',
    },
    {
      why: 'a wrong type, at the value',
      text: `${head}spec:\n  size: big\n`,
      line: 'bad.yaml:5:9: /spec/size: expected a whole number, got "big"',
    },
    {
      why: 'a wrong type inside of a list',
      text: `${head}spec:\n  size: 1\n  mounts:\n    - path: /a\n    - path: 7\n`,
      line: 'bad.yaml:8:13: /spec/mounts/1/path: expected text in quotes, got 7',
    },
    {
      why: 'a list in the place of a value, at its key',
      text: `${head}spec:\n  size:\n    - 1\n`,
      line: 'bad.yaml:5:3: /spec/size: expected a whole number, got a list',
    },
    {
      why: 'a field that is missing, at what should hold it',
      text: `${head}spec:\n  owner: ann\n`,
      line: /^bad\.yaml:4:1: \/spec\/size: is required/,
    },
    {
      why: 'a field that is missing in an entry of a list',
      text: `${head}spec:\n  size: 1\n  mounts:\n    - {}\n`,
      line: /^bad\.yaml:7:7: \/spec\/mounts\/0\/path: is required/,
    },
    {
      why: 'a spec that is missing',
      text: head,
      line: /^bad\.yaml:1:1: \/spec: is required/,
    },
    {
      why: 'a rule that is broken',
      text: `${head}spec: {size: 13}\n`,
      line: 'bad.yaml:4:8: /spec/size: thirteen brings bad luck',
    },
    {
      why: 'a key that needs escaping in a pointer',
      text: `${head}spec:\n  size: 1\n  tags:\n    a/b~c: [1]\n`,
      line: /^bad\.yaml:7:5: \/spec\/tags\/a~1b~0c: expected text/,
    },
    {
      why: 'an unknown kind',
      text: head.replace('Disk', 'Disc'),
      line: 'bad.yaml:2:7: /kind: expected one of Disk, Site (did you mean Disk?), got "Disc"',
    },
    {
      why: 'another version',
      text: head.replace('v1alpha1', 'v9'),
      line: 'bad.yaml:1:13: /apiVersion: expected holdfast.dev/v1alpha1, got "holdfast.dev/v9"',
    },
    {
      why: 'a list of documents',
      text: '- a\n- b\n',
      line: 'bad.yaml:1:1: /: expected a map with apiVersion, kind, metadata and spec, got a list',
    },
    {
      why: 'an alias bomb',
      text: `${head}${bomb}\n`,
      line: /^bad\.yaml:\d+:\d+: invalid YAML: more than 100000 values/,
    },
    {
      why: 'an alias inside of itself',
      text: `${head}spec: &s\n  size: *s\n`,
      line: /^bad\.yaml:\d+:\d+: invalid YAML: nested more than 64 levels deep$/,
    },
    {
      why: 'an alias of nothing',
      text: `${head}spec: {size: *nothing}\n`,
      line: 'bad.yaml:4:14: invalid YAML: alias without an anchor above it',
    },
    {
      why: 'nesting that is deep',
      text: `${head}spec: ${'['.repeat(70)}${']'.repeat(70)}\n`,
      line: /^bad\.yaml:4:\d+: invalid YAML: nested more than 64 levels deep$/,
    },
    {
      why: 'nesting that exhausts the stack',
      text: `${head}spec: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
      line: /^bad\.yaml:\d+:\d+: invalid YAML: nested too deeply$/,
    },
    {
      why: 'a merge key, which YAML 1.2 does not have',
      text: `${head}base: &b {size: 1}\nspec: {<<: *b}\n`,
      line: 'bad.yaml:5:8: invalid YAML: merge keys (<<) are not supported',
    },
    {
      why: 'a tag',
      text: `${head}spec: {size: !!binary MQ==}\n`,
      line: 'bad.yaml:4:23: invalid YAML: tags are not supported',
    },
    {
      why: 'a key that is no text',
      text: `${head}spec: {? [a] : 1}\n`,
      line: /^bad\.yaml:4:\d+: invalid YAML: With stringKeys, all keys must be strings$/,
    },
    {
      why: 'a number that is none in JSON',
      text: `${head}spec: {size: .inf}\n`,
      line: 'bad.yaml:4:14: invalid YAML: not a number that JSON has',
    },
    {
      why: 'a number that would silently become another one',
      text: `${head}spec: {size: 12345678901234567890}\n`,
      line: 'bad.yaml:4:14: invalid YAML: a number this large loses digits: put it in quotes',
    },
    {
      why: 'the key __proto__',
      text: `${head}spec: {__proto__: {size: 1}}\n`,
      line: 'bad.yaml:4:8: invalid YAML: __proto__ is not allowed as a key',
    },
    {
      why: 'a document that is too large',
      text: `${head}spec: {size: 1} # ${'x'.repeat(262_144)}\n`,
      line: 'bad.yaml:1:1: the document is too large: at most 262144 characters are read of one',
    },
    ...['..', '../b', 'b/c', 'b%2fc', '__proto__', 'B', ''].map((name) => ({
      why: `the name ${JSON.stringify(name)}`,
      text: diskText(JSON.stringify(name)),
      line: /^bad\.yaml:3:18: \/metadata\/name: expected a DNS label/,
    })),
  ])('$why', async ({ text, line }) => {
    const tree = treeOf({ 'bad.yaml': `${text}---\n${diskText('beside')}`, 'good.yaml': diskText('good') });
    const { objects, lines } = await look(tree);
    expect(objects).toEqual(['Disk/shop/beside', 'Disk/shop/good']);
    expect(lines).toEqual([typeof line === 'string' ? line : expect.stringMatching(line)]);
  });
});

describe('a file that is wrong is one line, and the healthy one beside it counts', () => {
  test.each([
    {
      why: 'a binary file',
      spoil: (tree: Tree) => tree.write('bad.yaml', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])),
      line: 'bad.yaml: is not text in UTF-8',
    },
    {
      why: 'another encoding',
      spoil: (tree: Tree) => tree.write('bad.yaml', Buffer.from('name: Zürich', 'latin1')),
      line: 'bad.yaml: is not text in UTF-8',
    },
    {
      why: '50 MB',
      spoil: (tree: Tree) => {
        tree.write('bad.yaml', '');
        truncateSync(join(tree.root, 'bad.yaml'), 50_000_000);
      },
      line: 'bad.yaml: is too large: 47.7 MiB, at most 1 MiB are read',
    },
    {
      why: 'a pipe, which would never end',
      spoil: ({ root }: Tree) => execFileSync('mkfifo', [join(root, 'bad.yaml')]),
      line: 'bad.yaml: is not a regular file',
    },
    {
      why: 'a link out of the tree',
      spoil: ({ root }: Tree) => symlinkSync('/etc/hostname', join(root, 'bad.yaml')),
      line: 'bad.yaml: symbolic link leads out of the tree and is not followed',
    },
    {
      why: 'a link to a directory out of the tree',
      spoil: ({ root }: Tree) => symlinkSync('/etc', join(root, 'bad')),
      line: 'bad: symbolic link leads out of the tree and is not followed',
    },
    {
      why: 'a link to nothing',
      spoil: ({ root }: Tree) => symlinkSync('nothing', join(root, 'bad.yaml')),
      line: "bad.yaml: symbolic link can't be followed: no such file or directory",
    },
    {
      why: 'a link to itself',
      spoil: ({ root }: Tree) => symlinkSync('bad.yaml', join(root, 'bad.yaml')),
      line: "bad.yaml: symbolic link can't be followed: too many symbolic links encountered",
    },
    {
      why: 'a link to the directory that it is in, which would never end',
      spoil: ({ root }: Tree) => symlinkSync('.', join(root, 'bad')),
      line: 'bad: symbolic link leads to a directory that is read anyway, or around in a loop; it is not followed',
    },
    {
      why: 'a link around through a hidden directory, which would never end',
      spoil: ({ root, write }: Tree) => {
        write('.data/inner.txt', '');
        symlinkSync('../.data', join(root, '.data/bad'));
        symlinkSync('.data', join(root, 'in'));
      },
      line: 'in/bad: symbolic link leads to a directory that is read anyway, or around in a loop; it is not followed',
    },
    {
      why: 'directories that are nested without end',
      spoil: (tree: Tree) => tree.write(`${'d/'.repeat(34)}bad.yaml`, diskText('deep')),
      line: `${'d/'.repeat(33).slice(0, -1)}: is nested too deeply: at most 32 directories are entered`,
    },
    {
      why: 'a name that would play with the terminal',
      spoil: (tree: Tree) => tree.write('\u001b[2Jbad.yaml', 'x: ['),
      line: /^\ufffd\[2Jbad\.yaml:1:5: invalid YAML/,
    },
    {
      why: 'an installation in the wrong place',
      spoil: (tree: Tree) => tree.write('sub/holdfast.yaml', installation),
      line: 'sub/holdfast.yaml:2:1: /kind: an Installation stands in holdfast.yaml at the top of the tree',
    },
  ])('$why', async ({ spoil, line }) => {
    const tree = treeOf({ 'good.yaml': diskText('good') });
    spoil(tree);
    const { objects, lines } = await look(tree);
    expect(objects).toEqual(['Disk/shop/good']);
    expect(lines).toEqual([typeof line === 'string' ? line : expect.stringMatching(line)]);
  });

  test.each([{ what: 'bad.yaml' }, { what: 'bad' }])(
    '$what is unreadable for this user: said, without the path of the machine',
    async ({ what }) => {
      const tree = treeOf({
        'bad.yaml': diskText('a'),
        'bad/b.yaml': diskText('b'),
        'good.yaml': diskText('good'),
      });
      chmodSync(join(tree.root, what), 0);
      onTestFinished(() => chmodSync(join(tree.root, what), 0o755));
      const { objects, lines } = await asNobody(() => look(tree));
      expect(objects).toContain('Disk/shop/good');
      expect(objects).toHaveLength(2);
      const subject = what === 'bad' ? 'bad: the directory' : 'bad.yaml:';
      expect(lines).toEqual([`${subject} can't be read: permission denied`]);
    },
  );
});

/** The superuser may read everything, so for the while of the test it is somebody else. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

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
      ...{ why: 'documents', limits: { documentsPerFileMax: 1 }, used: ['a', 'b'] },
      line: 'b.yaml: holds more than 1 documents; the rest is not read',
    },
    {
      ...{ why: 'objects', limits: { objectsMax: 2 }, used: ['a', 'b'] },
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
    expect(problems.map(({ key }) => key)).toEqual(['Disk/shop/a', 'Disk/shop/b', 'Disk/shop/c']);
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
    expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe(renderProblem(problem, { color: false }));
  });

  test('far to the right is shown without a caret, which would stand anywhere', async () => {
    const tree = treeOf({ 'a.yaml': `${head}spec: {owner: "${' '.repeat(200)}", size: big}\n` });
    const problem = (await tree.reader().read()).problems.find(({ error }) => error?.path === '/spec/size');
    if (problem === undefined) throw new Error('there is no problem');
    expect(problem.place?.column).toBeGreaterThan(200);
    expect(renderProblem(problem, { color: false }).split('\n')).toHaveLength(2);
  });
});
