// Files move. A comment that names a file, or a decision, which is not there sends its reader nowhere.
import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { expect, test } from 'vitest';

const house = resolve(import.meta.dirname, '../..');
const code = globSync('{src,test}/**/*.{ts,js}', { cwd: house });
const all = [
  ...code,
  ...globSync('{docs,examples,.ci}/**/*.*', { cwd: house }),
  ...globSync('test/**/*.json', { cwd: house }),
  ...globSync('*.*', { cwd: house }),
];
const names = new Set(all.map((file) => basename(file)));

/** Patterns, and files that are made. */
const madeUp = new Set(['test.ts']);

const isThere = (named: string): boolean =>
  named.includes('/') ? all.some((file) => file === named || file.endsWith(`/${named}`)) : names.has(named);

const read = (file: string): string => readFileSync(resolve(house, file), 'utf8');

function cited(file: string): readonly string[] {
  const lines = read(file).split('\n');
  const comments = lines.filter((line) => /^\s*(\/\/|\*|\/\*)/.test(line));
  return comments.flatMap((line) =>
    [...line.matchAll(/\b[a-z][\w-]*(?:\/[\w-]+)*\.(?:ts|md|json)\b/g)].map(([name]) => name),
  );
}

test('each file that a comment names is there', () => {
  const found = code.flatMap((file) => cited(file).map((named) => ({ file, named })));
  expect(found.length).toBeGreaterThan(100);
  const lost = found.filter(({ named }) => !madeUp.has(named) && !isThere(named));
  expect(lost).toEqual([]);
});

test('each section of docs/services.md that is cited is a heading of it', () => {
  const headings = [...read('docs/services.md').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  );
  const found = [...code, ...globSync('docs/**/*.md', { cwd: house })].flatMap((file) =>
    [...read(file).matchAll(/\bservices\.md#([\w-]*)/g)].map(([, anchor = '']) => ({ file, anchor })),
  );
  expect(found.length).toBeGreaterThan(100);
  expect(found.filter(({ anchor }) => !headings.includes(anchor))).toEqual([]);
});

test('no comment refers to sections of a design that readers do not have', () => {
  const lost = code.filter((file) => /\(design (section )?\d/.test(read(file)));
  expect(lost).toEqual([]);
});

test('each decision that is cited is recorded', () => {
  const recorded = globSync('docs/decisions/*.md', { cwd: house }).map((file) =>
    Number(basename(file).slice(0, 4)),
  );
  const lost = code.flatMap((file) =>
    [...read(file).matchAll(/\bdecisions? (\d+)\b/g)]
      .filter(([, number]) => !recorded.includes(Number(number)))
      .map(([text]) => `${file}: ${text}`),
  );
  expect(recorded.length).toBeGreaterThan(10);
  expect(lost).toEqual([]);
});
