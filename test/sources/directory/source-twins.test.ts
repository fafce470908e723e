// A file is copied to begin the next object, and its name is left as it was. What is declared twice then was edited as the file
// said whose path comes first.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskText, treeOf, type Tree } from './tree/support.ts';
import { Bench } from './source-support.ts';

const key = 'Disk/shop/data';

async function begin(tree: Tree): Promise<Bench> {
  const bench = await Bench.set();
  const reader = tree.reader();
  bench.tree.read = () => reader.read();
  return await bench.start();
}

const seen = (bench: Bench): unknown => {
  const { spec, generation } = bench.state.rows.get(key)?.object ?? {};
  return {
    spec,
    generation,
    stalled: bench.source.read(key)?.object.problem?.message,
    problems: bench.source.problems().map(({ origin, message }) => [origin, message]),
  };
};

const twice = (first: string, second: string): string =>
  `is declared twice, at ${first}:1 and at ${second}:1: it stays as it was until one of them is gone`;

const asItWas = (first: string, second: string) => ({
  spec: { size: 1 },
  generation: 1,
  stalled: `/metadata/name: ${twice(first, second)}`,
  problems: [first, second].map((origin) => [origin, `${key} ${twice(first, second)}`]),
});

test.for([
  { why: 'before', copy: 'a.yaml', first: 'a.yaml', second: 'data.yaml' },
  { why: 'after', copy: 'z.yaml', first: 'data.yaml', second: 'z.yaml' },
])('a copy whose path comes $why leaves the object as it was', async ({ copy, first, second }) => {
  const tree = treeOf({ 'data.yaml': diskText('data') });
  const bench = await begin(tree);
  tree.write(copy, diskText('data', '{size: 2}'));
  tree.write('data.yaml', diskText('data', copy === first ? '{size: 1}' : '{size: 3}'));
  await bench.change({});
  expect(seen(bench)).toEqual(asItWas(first, second));
  rmSync(join(tree.root, 'data.yaml'));
  await bench.change({});
  expect(seen(bench)).toEqual({ spec: { size: 2 }, generation: 2, problems: [] });
});

test('so it does after a restart, and the first one counts again once the copy has a name of its own', async () => {
  const tree = treeOf({ 'data.yaml': diskText('data') });
  const before = await begin(tree);
  tree.write('a.yaml', diskText('data', '{size: 2}'));
  const bench = await (await before.restarted()).start();
  expect(seen(bench)).toEqual(asItWas('a.yaml', 'data.yaml'));
  tree.write('a.yaml', diskText('other', '{size: 2}'));
  await bench.change({});
  expect(seen(bench)).toEqual({ spec: { size: 1 }, generation: 1, problems: [] });
});

const used = (size: number) => ({
  spec: { size },
  generation: 1,
  problems: [['z.yaml', `${key} is declared twice: the one at data.yaml:1 is used`]],
});

test('of two that say the same, and of two that are both new, the first is used', async () => {
  const tree = treeOf({ 'data.yaml': diskText('data', '{size: 2}'), 'z.yaml': diskText('data') });
  const bench = await begin(tree);
  expect(seen(bench)).toEqual(used(2));
  tree.write('z.yaml', diskText('data', '{size: 2}'));
  await bench.change({});
  expect(seen(bench)).toEqual(used(2));
});

/** What a Secret says, in a file of its own. */
const password = (text: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {namespace: shop, name: login}\nstringData: {password: ${text}}\n`;

test.for([
  {
    why: 'another password',
    copy: 'canary-twin-b',
    is: undefined,
    says: 'neither is used until this one or the one at a.yaml:1 is gone',
  },
  {
    why: 'the same password',
    copy: 'canary-twin-a',
    is: 'canary-twin-a',
    says: 'the one at a.yaml:1 is used',
  },
])(
  'of two Secrets of one name, where the copy says $why, this one is used: $is',
  async ({ copy, is, says }) => {
    const tree = treeOf({ 'login.yaml': password('canary-twin-a') });
    const reader = tree.reader();
    const read = async () => {
      const { secrets, problems } = await reader.read();
      return [
        secrets.get('Secret/shop/login')?.entries.get('password'),
        ...problems.map(({ message }) => message),
      ];
    };
    expect(await read()).toEqual(['canary-twin-a']);
    tree.write('a.yaml', password(copy));
    const told = `Secret/shop/login is declared twice: ${says}`;
    for (let n = 0; n < 3; n++) expect(await read()).toEqual([is, told]); // files that are known are not parsed again
    rmSync(join(tree.root, 'a.yaml'));
    expect(await read()).toEqual(['canary-twin-a']);
  },
);
