// A rebase that stopped half way takes away for now what later commits add. That looked like removals, and the disks were deleted
// while a person was resolving a conflict in a README.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diskText, treeOf, type Tree } from './tree/support.ts';
import { Bench } from './source-support.ts';

const quietMs = 2_000;
const hasGit = spawnSync('git', ['--version']).status === 0;

/** What git itself says is nobody's concern here: that an operation stops is meant. */
function git(at: string, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.org', '-c', 'commit.gpgsign=false'];
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_EDITOR: 'true',
  };
  spawnSync('git', [...who, ...args], { cwd: at, env });
}

function commit(tree: Tree, files: Readonly<Record<string, string | undefined>>): void {
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) rmSync(join(tree.root, path));
    else tree.write(path, text);
  }
  git(tree.root, 'add', '-A');
  git(tree.root, 'commit', '-m', 'x');
}

/** On `main`, a conflict with `theirs`, where `gone` is removed, and then a commit that adds `late`. */
function repository(): Tree {
  const files = { 'README.md': 'first\n', 'kept.yaml': diskText('kept'), 'gone.yaml': diskText('gone') };
  const tree = treeOf(files);
  git(tree.root, 'init', '-b', 'main');
  commit(tree, {});
  git(tree.root, 'checkout', '-b', 'theirs');
  commit(tree, { 'README.md': 'theirs\n', 'gone.yaml': undefined });
  git(tree.root, 'checkout', 'main');
  commit(tree, { 'README.md': 'ours\n' });
  commit(tree, { 'late.yaml': diskText('late') });
  return tree;
}

async function begin(tree: Tree): Promise<Bench> {
  const bench = await Bench.set();
  const reader = tree.reader();
  bench.tree.read = () => reader.read();
  return await bench.start();
}

const leaving = (bench: Bench): readonly string[] =>
  [...bench.state.rows].filter(([, row]) => row.object.deleting).map(([name]) => name);
const lines = (bench: Bench): readonly string[] =>
  bench.source.problems().map(({ origin, message }) => `${origin}: ${message}`);

async function afterLong(bench: Bench): Promise<void> {
  const { waiting } = await bench.change({});
  if (waiting > 0) await bench.wait(quietMs);
}

const both = 'Disk/shop/gone, Disk/shop/late are missing';
const gone = 'Disk/shop/gone is missing';

describe('nothing is removed while it lasts, and nothing was lost once it is given up:', () => {
  test.skipIf(!hasGit).for<[string, string, string, string]>([
    ['rebase', 'theirs', 'rebase-merge', both],
    ['rebase --apply', 'theirs', 'rebase-apply', both],
    ['merge', 'theirs', 'MERGE_HEAD', gone],
    ['cherry-pick', 'theirs', 'CHERRY_PICK_HEAD', gone],
  ])('git %s', async ([command, onto, file, missing]) => {
    const tree = repository();
    const bench = await begin(tree);
    const words = command.split(' ');
    git(tree.root, ...words, onto);
    await afterLong(bench);
    expect([lines(bench), leaving(bench)]).toEqual([
      [`.: ${missing}, and git is not done with the files yet (${file}): finish what it does, or abort it`],
      [],
    ]);
    git(tree.root, words[0] ?? '', '--abort');
    await afterLong(bench);
    expect([lines(bench), leaving(bench)]).toEqual([[], []]);
  });

  test.skipIf(!hasGit)('git revert', async () => {
    const tree = repository();
    commit(tree, { 'README.md': 'again\n', 'more.yaml': diskText('more') });
    commit(tree, { 'README.md': 'and again\n' });
    const bench = await begin(tree);
    git(tree.root, 'revert', 'HEAD~1');
    await afterLong(bench);
    expect(lines(bench)).toEqual([expect.stringContaining('(REVERT_HEAD)')]);
    git(tree.root, 'revert', '--abort');
    await afterLong(bench);
    expect([lines(bench), leaving(bench)]).toEqual([[], []]);
  });

  test.skipIf(!hasGit)('git bisect', async () => {
    const tree = repository();
    const bench = await begin(tree);
    git(tree.root, 'bisect', 'start', 'main', 'main~2');
    await afterLong(bench);
    expect(lines(bench)).toEqual([expect.stringContaining('(BISECT_LOG)')]);
    git(tree.root, 'bisect', 'reset');
    await afterLong(bench);
    expect([lines(bench), leaving(bench)]).toEqual([[], []]);
  });
});

test.skipIf(!hasGit)('what is removed once it is finished is removed', async () => {
  const tree = repository();
  const bench = await begin(tree);
  git(tree.root, 'merge', 'theirs');
  await afterLong(bench);
  expect(leaving(bench)).toEqual([]);
  commit(tree, { 'README.md': 'both\n' });
  await afterLong(bench);
  expect([lines(bench), leaving(bench)]).toEqual([[], ['Disk/shop/gone']]);
});

test.skipIf(!hasGit)('so it is in a linked worktree, whose files of git are elsewhere', async () => {
  const { root } = repository();
  const linked = join(root, '..', 'linked');
  git(root, 'worktree', 'add', '-b', 'other', linked, 'main');
  const tree = { ...treeOf(), root: linked };
  const bench = await Bench.set();
  const reader = treeOf().reader({ root: linked });
  bench.tree.read = () => reader.read();
  await bench.start();
  git(tree.root, 'rebase', 'theirs');
  await afterLong(bench);
  expect([lines(bench).join(), leaving(bench)]).toEqual([expect.stringContaining('(rebase-merge)'), []]);
});

test.skipIf(!hasGit)('what later commits edit is not undone while a rebase is stopped', async () => {
  const tree = repository();
  commit(tree, { 'kept.yaml': diskText('kept', '{size: 2}') });
  const bench = await begin(tree);
  const kept = () => bench.state.rows.get('Disk/shop/kept')?.object;
  const before = kept();
  git(tree.root, 'rebase', 'theirs');
  tree.write('new.yaml', diskText('new'));
  await afterLong(bench);
  expect(lines(bench)).toContain(
    'kept.yaml: has changed, and git is not done with the files yet (rebase-merge): finish what it does, or abort it',
  );
  expect([kept()?.spec, kept()?.generation]).toEqual([{ size: 2 }, 1]);
  expect(bench.state.rows.has('Disk/shop/new')).toBe(true);
  rmSync(join(tree.root, 'new.yaml'));
  git(tree.root, 'rebase', '--abort');
  await afterLong(bench);
  expect([lines(bench), kept()]).toEqual([[], before]);
});

test.skipIf(!hasGit)('what a merge edits counts once it is finished', async () => {
  const tree = repository();
  git(tree.root, 'checkout', 'theirs');
  commit(tree, { 'kept.yaml': diskText('kept', '{size: 2}') });
  git(tree.root, 'checkout', 'main');
  const bench = await begin(tree);
  const size = () => bench.state.rows.get('Disk/shop/kept')?.object.spec;
  git(tree.root, 'merge', 'theirs');
  await afterLong(bench);
  expect(size()).toEqual({ size: 1 });
  commit(tree, { 'README.md': 'both\n' });
  await afterLong(bench);
  expect([lines(bench), size()]).toEqual([[], { size: 2 }]);
});

/** As a git that was killed leaves it. */
function lock(at: string): void {
  mkdirSync(join(at, '.git'), { recursive: true });
  writeFileSync(join(at, '.git', 'index.lock'), '');
}

test('a git that was killed amid a checkout, which removes files before it writes others, removes nothing', async () => {
  const tree = treeOf({ 'a.yaml': diskText('a') });
  const bench = await begin(tree);
  lock(join(tree.root, '..')); // the tree may be a folder of a repository
  rmSync(join(tree.root, 'a.yaml'));
  await afterLong(bench);
  expect([lines(bench), leaving(bench)]).toEqual([
    [
      '.: Disk/shop/a is missing, and git is not done with the files yet (index.lock): finish what it does, or abort it',
    ],
    [],
  ]);
});

test('while nothing is missing, a locked index is no problem: whoever asks for a status locks it for a moment', async () => {
  const tree = treeOf({ 'a.yaml': diskText('a') });
  lock(tree.root);
  const bench = await begin(tree);
  tree.write('a.yaml', diskText('a', '{size: 2}'));
  tree.write('b.yaml', diskText('b'));
  await afterLong(bench);
  expect(lines(bench)).toEqual([]);
  expect([...bench.state.rows.values()].map(({ object }) => object.spec)).toEqual([{ size: 2 }, { size: 1 }]);
});
