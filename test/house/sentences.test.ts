// What the README says about destroying, and what holds it to that. docs/reliability.md has a table: sentence, and the tests
// that assert it. Here it is seen to that the sentences are the README's, and that the tests are there.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const house = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(resolve(house, file), 'utf8');
const heading = '## Each sentence about destroying, and its test';

interface Row {
  readonly sentence: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** A cell names a file, and titles in it; then the next file. */
function testsIn(cell: string): Row['tests'] {
  let file = '';
  return [...cell.matchAll(/`(test\/[^`]+)`|“([^”]+)”/g)].flatMap(([, named, title]) => {
    file = named ?? file;
    return title === undefined ? [] : [{ file, title }];
  });
}

const section = read('docs/reliability.md').split(heading)[1]?.split('\n## ')[0] ?? '';
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (sentence|---)/.test(line))
  .map((line): Row => {
    const [, sentence = '', cell = ''] = /^\| (.*?) \| (.*) \|$/.exec(line) ?? [];
    return { sentence, tests: testsIn(cell) };
  });

const words = (text: string): string => text.replaceAll(/\s+/g, ' ');
/** And what stood in it until it became one screen: the pages that it leads to first. */
const readme = words(['README.md', 'docs/first-steps.md', 'docs/using.md'].map(read).join('\n'));

test('the table is read: it has rows, and each names a test', () => {
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([]);
});

test.for(rows)('the README says so still, word by word: $sentence', ({ sentence }) => {
  expect(readme).toContain(sentence);
});

test('no sentence of the README about destroying lacks a test', () => {
  const [, paragraph = ''] = /- \*\*Destroying needs proof\.\*\* (.*?) - \*\*/.exec(readme) ?? [];
  expect(paragraph).not.toBe('');
  const left = rows.reduce((text, { sentence }) => text.replace(sentence, ''), paragraph);
  expect(left.replaceAll(/\band\b|[\s.,;:]/g, '')).toBe('');
});

describe('a test that is named is there', () => {
  test.for(rows.flatMap(({ tests }) => tests))('$file: $title', ({ file, title }) => {
    expect(existsSync(resolve(house, file)), file).toBe(true);
    const quoted = ["'", '`', '"'].map((quote) => `${quote}${title}${quote}`);
    const text = read(file);
    expect(
      quoted.some((one) => text.includes(one)),
      `${file} has a test of that title`,
    ).toBe(true);
  });
});
