// docs/coverage.md is true and whole: cases name clauses that exist, and no operation is without one.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { allCases, casesIn } from './cases.ts';
import { page, unproven } from './page.ts';
import { clauses, proves } from './proves.ts';
import { root } from './sources.ts';

const cases = allCases();
/** May only fall. */
const unprovenMax = 6;

test('a case names only what the documents say, and each clause once', () => {
  const unknown = cases.filter(({ clause }) => !clauses.includes(clause));
  expect(unknown).toEqual([]);
  expect(cases.length).toBeGreaterThan(clauses.length);
  expect(clauses).toHaveLength(new Set(clauses).size);
});

test('what no case proves becomes less', () => {
  expect(unproven(cases)).toHaveLength(unprovenMax);
});

test('each operation that clients know has a clause', () => {
  const all = clauses.join('\n');
  const nameless = Object.values(routes).filter(({ method, path }) => !all.includes(`\`${method} ${path}\``));
  expect(nameless).toEqual([]);
});

test('every route is under /v1/, as both documents say', () => {
  proves('every path begins with `/v1/`');
  expect(Object.values(routes).filter(({ path }) => !path.startsWith('/v1/'))).toEqual([]);
});

test('a case is told by the title above it, and by the conditions that it stands under', () => {
  const call = 'proves'; // this file is read as well
  const text = `
  describe.runIf(target.embedded)('one', () => {
    test.each([{ a: 1 }])(
      'in $a',
      async () => {
        ${call}('x', "y");
      },
    );
  });
  test('two', () => {
    ${call}('z');
  });`;
  const found = casesIn('test/contract/a-cases.ts', text);
  expect(found.map(({ title, clause, runsOn }) => [title, clause, runsOn])).toEqual([
    ['in $a', 'x', ['embedded']],
    ['in $a', 'y', ['embedded']],
    ['two', 'z', ['embedded', 'Nomad']],
  ]);
});

test('the page is fresh: npm run docs writes it', () => {
  expect(readFileSync(`${root}/docs/coverage.md`, 'utf8')).toBe(page(cases));
});
