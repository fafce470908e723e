// Two parsers read manifests: the fast one takes what is ordinary. Where they differ, a disk could be made of another size.
import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentsIn } from '../../../../src/sources/directory/yaml/documents.ts';
import { ordinary, type Ordinary } from '../../../../src/sources/directory/yaml/ordinary.ts';
import { alike, misread } from './scalars.ts';

const careful = (text: string) => [...documentsIn(text, () => undefined)];

/** @returns what the fast one took, besides the documents */
function read(text: string) {
  const taken: Ordinary[] = [];
  const documents = [
    ...documentsIn(text, (part) => {
      const found = ordinary(part);
      if (found) taken.push(found);
      return found;
    }),
  ];
  return { documents, taken };
}

const examples = globSync('examples/**/*.yaml').map((path) => [path, readFileSync(path, 'utf8')] as const);

const strange = `# everything at once
a: |
  x
   y
b: >-
  fo
  ld

  more
c: 'it''s'
d: "\\x41\\u263a\\n \\
  x"
e: [1, 2.5, -0, 0x1f, 0o17, 1e3, .5, 1., +1, ~, null, true, [a, {b: c}]]
? k
: v
m:
- a
- - b
  - c
-
  d: e
n: multi
  line plain
o: {a, b: }
p: |2-
   ind
q: >+
  keep

r: # comment
  s
`;

const bits = [
  "'",
  '"',
  ':',
  ': ',
  '-',
  '- ',
  '\n',
  '\n  ',
  '  ',
  ' #',
  '{',
  '}',
  '[',
  ']',
  ',',
  '|',
  '>-',
  '&a ',
]
  .concat([
    '*a',
    '!',
    '%',
    '@',
    '`',
    '? ',
    '\\',
    '~',
    'yes',
    '010',
    '1_0',
    '.inf',
    '<<',
    '\r\n',
    '\n---\n',
    '\n...',
  ])
  .concat([
    '\t',
    '\uFEFF',
    '\0',
    '\u00a0',
    '\ud800',
    '\u{1F600}',
    '1e999',
    '12345678901234567890',
    '__proto__',
  ]);

const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  without: fc.nat(4),
  put: fc.constantFrom('', ...bits),
});

test.each(examples)('what is in our own examples is ordinary: %s', (_path, text) => {
  const { documents, taken } = read(text);
  expect(documents).toEqual(careful(text));
  expect(taken.length).toBeGreaterThanOrEqual(documents.length);
});

test('what is read is the same after any edit, or left to the other', () => {
  const texts = [strange, ...examples.map(([, text]) => text)];
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(change, { maxLength: 4 }), (text, changes) => {
      const edited = changes.reduce((whole, { at, without, put }) => {
        const place = Math.floor(at * whole.length);
        return whole.slice(0, place) + put + whole.slice(place + without);
      }, text);
      expect(read(edited).documents).toEqual(careful(edited));
    }),
    { numRuns: 300 },
  );
});

describe('a plain scalar', () => {
  test.each([...alike, ...misread])('is the same, or left to the other: %s', (scalar) => {
    for (const text of [`a: ${scalar}\n`, `a:\n  - ${scalar}\n`, `${scalar}: b\n`, `a: [${scalar}, c]\n`]) {
      expect(read(text).documents).toEqual(careful(text));
    }
  });
});

test.each([
  ['a list of documents has items with places of their own', 'apiVersion: v1\nkind: List\nitems: []\n'],
  ['more than one document', 'a: b\n...\nc: d\n'],
  ['a document that ends before it begins', '...\r\na: b\n'],
  ['dashes that are indented', '  ---\na: b\n'],
  ['an anchor', 'a: &x b\nc: *x\n'],
  ['a tag', 'a: !!str 1\n'],
  ['a duplicate key', 'a: b\na: c\n'],
  ['a directive', '%YAML 1.1\n---\na: b\n'],
  ['a number that loses digits', 'a: 12345678901234567890\n'],
  ['no map', '- a\n'],
  ['too deep', `a: ${'['.repeat(64)}${']'.repeat(64)}\n`],
])('is left to the other: %s', (_title, text) => {
  expect(ordinary(text)).toBeUndefined();
});

test('nothing is read as nothing: a file may begin with a comment and a line of dashes', () => {
  expect(ordinary('# the volumes\n')).toEqual({ value: null, start: 0 });
});
