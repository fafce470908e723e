// docs/coverage.md is what its rows say, and its rows are true. What the compiler proves of them is not asked again.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { documents } from './items/all.ts';
import { page } from './page.ts';
import { problemsOf } from './proof.ts';
import { root } from './sources.ts';

const sections = documents.flatMap((one) => one.sections);
const rows = sections.flatMap(({ title, items }) =>
  items.map((one) => ({ at: `${title}: ${one.item}`, one })),
);

test('no row claims what is not there', () => {
  const problems = rows.flatMap(({ at, one }) => problemsOf(one).map((problem) => `${at}: ${problem}`));
  expect(problems).toEqual([]);
});

test('no cell of the page is empty', () => {
  const table = page(documents)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  expect(table.length).toBeGreaterThan(rows.length);
  expect(table.filter((line) => /\|\s*\|/.test(line))).toEqual([]);
});

test('no operation that clients know is left out', () => {
  const named = new Set(rows.flatMap(({ one: { client } }) => ('op' in client ? client.op : [])));
  const known: readonly string[] = [...named];
  expect(Object.keys(routes).filter((op) => !known.includes(op))).toEqual([]);
});

test('every route is under /v1/, as both documents say', () => {
  expect(Object.values(routes).filter(({ path }) => !path.startsWith('/v1/'))).toEqual([]);
});

test('the page is fresh: npm run docs writes it', () => {
  expect(readFileSync(`${root}/docs/coverage.md`, 'utf8')).toBe(page(documents));
});
