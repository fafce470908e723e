// A document that is wrong is said once, in words and with its place, and harms nothing else.
import { describe, expect, test } from 'vitest';
import { diskText, look, treeOf } from './support.ts';

const head = 'apiVersion: holdfast.dev/v1alpha1\nkind: Disk\nmetadata: {name: a, namespace: shop}\n';
const bomb = ['x: &x0 [l, l, l, l, l, l, l, l, l]']
  .concat(Array.from({ length: 9 }, (_, i) => `x${i}: &x${i + 1} [${`*x${i}, `.repeat(9)}]`))
  .join('\n');

const template =
  'invalid YAML: a template ({{ … }}) is not filled in here: put it in quotes, or commit what it renders';
const space =
  'invalid YAML: a space or mark that YAML does not know (U+00A0): put an ordinary space there, or none';

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
      why: 'a conflict that nobody has resolved, at its first mark',
      text: `${head}spec:\n<<<<<<< HEAD\n  size: 1\n=======\n  size: 2\n>>>>>>> theirs\n`,
      line: 'bad.yaml:5:1: invalid YAML: a mark of a conflict that git left: resolve it, and take out its marks',
    },
    {
      why: 'a mark that was overlooked',
      text: `${head}spec:\n  size: 2\n>>>>>>> theirs\n`,
      line: 'bad.yaml:6:1: invalid YAML: a mark of a conflict that git left: resolve it, and take out its marks',
    },
    {
      why: 'a colon that is missing',
      text: `${head}spec:\n  size 1\n  owner: ann\n`,
      line: 'bad.yaml:5:3: invalid YAML: expected KEY: VALUE on one line; perhaps a colon is missing, or the space after it',
    },
    {
      why: 'a space that is missing after the colon',
      text: `${head}spec:\n  owner: ann\n  size:1\n`,
      line: 'bad.yaml:6:3: invalid YAML: expected KEY: VALUE; perhaps a colon is missing, or the space after it',
    },
    {
      why: 'a value with a colon and a space',
      text: `${head}spec: {size: 1}\nnote: ann: owner\n`,
      line: 'bad.yaml:5:7: invalid YAML: a map begins within a line: put a value that has a colon and a space into quotes',
    },
    {
      why: 'a quote that is never closed, where it begins',
      text: `${head}spec:\n  owner: "ann\n  size: 1\n  tags: {}\n`,
      line: 'bad.yaml:5:10: invalid YAML: the quote " that begins here is not closed',
    },
    {
      why: 'a quote in a list that is never closed',
      text: `${head}spec:\n  size: 1\n  mounts: [{path: /a}, {path: '/b}]\n  owner: ann\n`,
      line: "bad.yaml:6:31: invalid YAML: the quote ' that begins here is not closed",
    },
    {
      why: 'a key twice',
      text: `${head}spec:\n  size: 1\n  size: 2\n`,
      line: 'bad.yaml:6:3: invalid YAML: duplicate key',
    },
    {
      why: 'two objects without a line between them',
      text: `${diskText('a')}${diskText('b')}`,
      line: 'bad.yaml:5:1: invalid YAML: duplicate key; perhaps a line --- is missing between two objects',
    },
    {
      why: 'a template as a value',
      text: `${head}spec: {size: 1, owner: {{ .Values.owner }}}\n`,
      line: `bad.yaml:4:25: ${template}`,
    },
    {
      why: 'a template as a line',
      text: `{{- if .Values.disk }}\n${head}spec: {size: 1}\n`,
      line: `bad.yaml:1:3: ${template}`,
    },
    {
      why: 'a line that is indented too little, as the one below shows',
      text: `${head}spec:\n  size: 1\nowner: ann\n  tags: {}\n`,
      line: 'bad.yaml:6:8: invalid YAML: the next line is indented more than this one, as if its value went on there',
    },
    {
      why: 'spaces that were copied from a page, before a key',
      text: `${head}spec:\n  size: 1\n\u00a0\u00a0owner: ann\n`,
      line: `bad.yaml:6:1: ${space}`,
    },
    {
      why: 'such a space where the map goes on below',
      text: `${head}spec:\n  size: 1\n\u00a0owner: ann\n  tags: {}\n`,
      line: `bad.yaml:6:9: ${space}`,
    },
    {
      why: 'such a space after a colon',
      text: `${head}spec:\n  size: 1\n  owner:\u00a0ann\n`,
      line: `bad.yaml:6:3: ${space}`,
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
      why: 'nothing in the place of a value, at its key',
      text: `${head}spec:\n  size:\n  owner: ann\n`,
      line: 'bad.yaml:5:3: /spec/size: expected a whole number, got null',
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
      line: /^bad\.yaml:4:\d+: invalid YAML: a key has to be text$/,
    },
    {
      why: 'a number that is none in JSON',
      text: `${head}spec: {size: .inf}\n`,
      line: 'bad.yaml:4:14: invalid YAML: not a JSON number',
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
      line: 'bad.yaml:1:1: the document is too large: the limit is 262144 characters',
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
