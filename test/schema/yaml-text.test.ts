import fc from 'fast-check';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { yamlText } from '../../src/schema/yaml-text.ts';

test('reads as YAML files do', () => {
  expect(yamlText({ a: { b: [1, { c: 'x', d: [] }], e: {} }, 'k: v': 'a: b' })).toBe(
    ['a:', '  b:', '    - 1', '    - c: x', '      d: []', '  e: {}', '"k: v": "a: b"', ''].join('\n'),
  );
});

test.each([
  'yes',
  'No',
  'null',
  '~',
  '',
  ' ',
  'a ',
  '1e3',
  '0x1f',
  '.inf',
  '- a',
  'a: b',
  'a #b',
  '*a',
  '&a',
  '!a',
  '{a',
  "'",
  '"',
  '%',
  '@',
  'y',
])('text %j stays text, whatever version of YAML reads it', (text) => {
  for (const version of ['1.1', '1.2'] as const) {
    expect(parse(yamlText({ [text]: [text] }), { version })).toStrictEqual({ [text]: [text] });
  }
});

test('whatever is written is read back as it was', () => {
  const odd = fc.constantFrom('on', 'True', 'a, b', 'can not; (so) it/is.', 'a\nb', '\u2028', 'é');
  const text = fc.oneof(fc.string(), odd);
  const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
  const key = text.filter((name) => name !== '__proto__');
  const branch = <T>(of: fc.Arbitrary<T>) =>
    fc.oneof(
      of,
      fc.array(of, { maxLength: 3 }),
      fc.dictionary(key, of, { maxKeys: 3, noNullPrototype: true }),
    );
  fc.assert(
    fc.property(branch(branch(branch(leaf))), (value) => {
      expect(parse(yamlText(value))).toStrictEqual(value);
    }),
    { numRuns: 300 },
  );
});
