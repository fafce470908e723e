// An emptied manifest once was three deletions without a problem: a write that was cut off looked like a person's wish.
import { mkdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { diskText, treeOf, type Tree } from './tree/support.ts';
import { Bench } from './source-support.ts';

const quietMs = 2_000;
const file = 'volumes/shop.yaml';
const three = ['a', 'b', 'c'].map((name) => diskText(name)).join('---\n');

/** A source on real files: three objects in one, one in another. */
async function begin(): Promise<{ readonly bench: Bench; readonly tree: Tree }> {
  const tree = treeOf({ [file]: three, 'other.yaml': diskText('other') });
  const bench = await Bench.set();
  const reader = tree.reader();
  bench.tree.read = () => reader.read();
  return { bench: await bench.start(), tree };
}

const leaving = (bench: Bench): readonly string[] =>
  [...bench.state.rows].filter(([, row]) => row.object.deleting).map(([name]) => name);

const lines = (bench: Bench): readonly string[] =>
  bench.source.problems().map(({ origin, message }) => `${origin}: ${message}`);

const emptied = 'holds nothing, and declared Disk/shop/a, Disk/shop/b, Disk/shop/c: remove it to remove them';
const at = (tree: Tree) => join(tree.root, file);

describe('nothing is removed, however long it lasts, where a manifest', () => {
  test.for<[string, (tree: Tree) => void, string | RegExp]>([
    ['is empty', (tree) => tree.write(file, ''), emptied],
    ['is white space', (tree) => tree.write(file, ' \n\n\t\n'), emptied],
    ['is comments', (tree) => tree.write(file, '# to be filled in\n'), emptied],
    ['is a marker', (tree) => tree.write(file, '---\n'), emptied],
    [
      'is many markers, comments and nothing',
      (tree) => tree.write(file, '---\n# x\n---\nnull\n---\n...\n'),
      emptied,
    ],
    ['is a byte order mark', (tree) => tree.write(file, '\ufeff'), emptied],
    [
      'is zeros, as after a power failure',
      (tree) => tree.write(file, Buffer.alloc(three.length)),
      'is not text in UTF-8',
    ],
    [
      'is cut off within a document',
      (tree) => tree.write(file, three.slice(0, -8)),
      /^(invalid YAML|\/spec)/,
    ],
    [
      'is a directory',
      (tree) => {
        unlinkSync(at(tree));
        mkdirSync(at(tree));
      },
      'is a directory, and was a file that declared Disk/shop/a, Disk/shop/b, Disk/shop/c: remove it to remove them',
    ],
    [
      'is a link to a hidden directory',
      (tree) => {
        unlinkSync(at(tree));
        mkdirSync(join(tree.root, '.hidden'));
        symlinkSync('../.hidden', at(tree));
      },
      /^is a directory, and was/,
    ],
    [
      'is a link to nothing',
      (tree) => {
        unlinkSync(at(tree));
        symlinkSync('gone.yaml', at(tree));
      },
      "symbolic link can't be followed: no such file or directory",
    ],
    [
      'is in a directory that is empty, as a mount that went away leaves it',
      (tree) => rmSync(at(tree)),
      'is an empty directory, and held files that declared Disk/shop/a, Disk/shop/b, Disk/shop/c: remove it to remove them',
    ],
    [
      'is in a directory that is a link to nothing',
      (tree) => {
        rmSync(join(tree.root, 'volumes'), { recursive: true });
        symlinkSync('gone', join(tree.root, 'volumes'));
      },
      /^symbolic link can't be followed/,
    ],
  ])('%s, and that is a problem', async ([, spoil, line]) => {
    const { bench, tree } = await begin();
    spoil(tree);
    rmSync(join(tree.root, 'other.yaml')); // what is meant waits, too: nobody knows what else is wrong
    for (let n = 0; n < 3; n++) {
      const { waiting, problems } = await bench.change({});
      expect([waiting, problems.map((problem) => problem.message)]).toEqual([
        0,
        [typeof line === 'string' ? line : expect.stringMatching(line)],
      ]);
      bench.clock.advance(quietMs);
    }
    expect(leaving(bench)).toEqual([]);
    tree.write('other.yaml', diskText('other'));
    rmSync(at(tree), { recursive: true, force: true });
    rmSync(join(tree.root, 'volumes'), { recursive: true, force: true });
    await bench.change({});
    await bench.wait(quietMs);
    expect([lines(bench), leaving(bench)]).toEqual([[], ['Disk/shop/a', 'Disk/shop/b', 'Disk/shop/c']]);
  });
});

test('what was declared in a file that is emptied is known after a restart, too', async () => {
  const { bench, tree } = await begin();
  tree.write(file, '');
  const next = await (await bench.restarted()).start();
  expect(lines(next)).toEqual([`${file}: ${emptied}`]);
  next.clock.advance(10 * quietMs);
  await next.change({});
  expect(leaving(next)).toEqual([]);
});

test('only the first names of many are told', async () => {
  const { bench, tree } = await begin();
  const many = Array.from({ length: 100 }, (_, n) => diskText(`many-${n}`)).join('---\n');
  tree.write('many.yaml', many);
  await bench.change({});
  tree.write('many.yaml', '');
  await bench.change({});
  expect(lines(bench)).toEqual([
    'many.yaml: holds nothing, and declared Disk/shop/many-0, Disk/shop/many-1, Disk/shop/many-10 and 97 more: remove it to remove them',
  ]);
});

test('a file that never declared anything, or whose objects stand elsewhere now, may be empty', async () => {
  const { bench, tree } = await begin();
  tree.write('notes.yaml', '# nothing yet\n');
  mkdirSync(join(tree.root, 'more.yaml'));
  tree.write('moved.yaml', three);
  tree.write(file, '# moved\n');
  for (let n = 0; n < 2; n++) {
    await bench.change({}); // in the second pass, where they stand is known
    expect([lines(bench), leaving(bench)]).toEqual([[], []]);
  }
});

test('a deletion that was about to be made is not, once a manifest is found to be emptied', async () => {
  const { bench, tree } = await begin();
  rmSync(join(tree.root, 'other.yaml'));
  await bench.change({});
  await bench.wait(quietMs);
  expect(leaving(bench)).toEqual(['Disk/shop/other']);
  const handle = bench.open('Disk/shop/other');
  tree.write(file, '');
  await expect(handle.confirm()).rejects.toThrow(ApiError);
});

test('a directory that is called like a manifest, and is empty, holds back what was in it', async () => {
  const { bench, tree } = await begin();
  tree.write('more.yaml/deep.yaml', diskText('deep'));
  await bench.change({});
  rmSync(join(tree.root, 'more.yaml/deep.yaml'));
  await bench.change({});
  bench.clock.advance(10 * quietMs);
  await bench.change({});
  const says =
    'is an empty directory, and held files that declared Disk/shop/deep: remove it to remove that one';
  expect([lines(bench), leaving(bench)]).toEqual([[`more.yaml: ${says}`], []]);
});

test('a directory that is empty holds back what was in it at any depth, but no deletion that began before', async () => {
  const { bench, tree } = await begin();
  tree.write('volumes/eu/west/deep.yaml', diskText('deep'));
  await bench.change({});
  rmSync(at(tree));
  await bench.change({});
  await bench.wait(quietMs);
  expect([lines(bench), leaving(bench)]).toEqual([[], ['Disk/shop/a', 'Disk/shop/b', 'Disk/shop/c']]);
  rmSync(join(tree.root, 'volumes'), { recursive: true });
  mkdirSync(join(tree.root, 'volumes'));
  await bench.change({});
  bench.clock.advance(10 * quietMs);
  await bench.change({});
  const says =
    'is an empty directory, and held files that declared Disk/shop/deep: remove it to remove that one';
  expect([lines(bench), leaving(bench).includes('Disk/shop/deep')]).toEqual([[`volumes: ${says}`], false]);
  tree.write('volumes/.gitkeep', ''); // a person's word that nothing is to be there
  await bench.change({});
  await bench.wait(quietMs);
  expect([lines(bench), leaving(bench).includes('Disk/shop/deep')]).toEqual([[], true]);
});
