// A feature that is said to be there, and has no test that shows it, is an advertisement.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/features.md', 'utf8');
const rows = page.split('\n').filter((line) => /^\| \d+ \|/.test(line));
const cells = rows.map((row) => row.split(' | ').map((cell) => cell.replace(/^\| /, '').trim()));

test('each feature that is there, or partly, names a test that exists', () => {
  expect(rows.length).toBeGreaterThan(70);
  const unshown = cells.filter(([, , has = '', shown = '']) => {
    if (has === 'no') return shown !== '';
    const [, file = '', title = ''] = /^`(test\/[^`]+)` “([^”]+)”$/.exec(shown) ?? [];
    return !existsSync(file) || !readFileSync(file, 'utf8').includes(title);
  });
  expect(unshown).toEqual([]);
});

test('each feature is said to be there, partly or not, and is numbered once', () => {
  expect(cells.filter(([, , has = '']) => !['yes', 'partly', 'no'].includes(has))).toEqual([]);
  expect(new Set(cells.map(([number]) => number)).size).toBe(rows.length);
});
