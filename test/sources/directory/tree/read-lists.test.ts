// `kubectl get -o yaml` prints several objects as one List: it may be committed as it is.
import { expect, test } from 'vitest';
import { diskText, look, treeOf } from './support.ts';

const itemsOf = (...texts: readonly string[]): string =>
  texts.map((text) => `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`).join('');
const list = (...texts: readonly string[]): string =>
  `apiVersion: v1\nitems:\n${itemsOf(...texts)}kind: List\nmetadata:\n  resourceVersion: ""\n`;

test('each item of a List is a document, at its own line', async () => {
  const { objects, problems } = await treeOf({ 'a.yaml': list(diskText('a'), diskText('b')) })
    .reader()
    .read();
  expect(problems).toEqual([]);
  const places = [...objects.values()].map(({ key, place }) => [key.name, place]);
  expect(places).toEqual([
    ['a', { file: 'a.yaml', line: 3, column: 3 }],
    ['b', { file: 'a.yaml', line: 7, column: 3 }],
  ]);
});

test.each([
  {
    why: 'a wrong item is said at its place, and the others count',
    text: list(diskText('a'), diskText('b', '{size: big}'), diskText('c', '{sise: 1}')),
    says: [
      'bad.yaml:10:16: /spec/size: expected a whole number, got "big"',
      'bad.yaml:14:10: /spec/sise: unknown field "sise": did you mean "size"?',
    ],
    declares: ['Disk/shop/a'],
  },
  {
    why: 'an item that is nothing',
    text: 'apiVersion: v1\nkind: List\nitems:\n- \n',
    says: [/^bad\.yaml:4:\d+: \/: expected a map with apiVersion, kind, metadata and spec, got null$/],
    declares: [],
  },
  {
    why: 'a List within a List',
    text: list(list(diskText('a'))),
    says: ['bad.yaml:9:3: /kind: no List within a List'],
    declares: [],
  },
  {
    why: 'no items',
    text: 'apiVersion: v1\nkind: List\nitmes: []\n',
    says: ['bad.yaml:1:1: /items: is required (a list of documents)'],
    declares: [],
  },
  {
    why: 'a List of somebody else',
    text: 'apiVersion: v2\nkind: List\nitems: []\n',
    says: ['bad.yaml:1:13: /apiVersion: expected v1, of a List, got "v2"'],
    declares: [],
  },
  {
    why: 'an object that is declared twice, by item and by document',
    text: `${list(diskText('a'))}---\n${diskText('a')}`,
    says: ['bad.yaml:11:1: Disk/shop/a is declared twice: the one at bad.yaml:3 is used'],
    declares: ['Disk/shop/a'],
  },
])('$why', async ({ text, says, declares }) => {
  const { lines, objects } = await look(treeOf({ 'bad.yaml': text }));
  expect(lines).toEqual(says.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))));
  expect(objects).toEqual(declares);
});
