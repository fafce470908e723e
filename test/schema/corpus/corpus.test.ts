// The directory's parser judges the corpus.
import { expect, test } from 'vitest';
import { registry } from '../../../src/kinds/registry.ts';
import type { Declaration } from '../../../src/schema/declaration.ts';
import { shape } from '../../../src/schema/problems.ts';
import { check, meaningOf } from '../../../src/sources/directory/tree/document.ts';
import { isJsonMap } from '../../../src/core/json.ts';
import type { Json } from '../../../src/core/secret.ts';
import { corpus, expected } from './corpus.ts';

const declarations: readonly Declaration[] = registry.map(({ declaration }) => declaration);
const jsonOf = (document: unknown): Json => JSON.parse(JSON.stringify(document));

function problemsOf(document: unknown, old: unknown): readonly string[] {
  const meaning = meaningOf(jsonOf(document), 'a.yaml', declarations);
  if (meaning.is === 'wrong') return meaning.errors.map(({ message }) => message);
  if (meaning.is !== 'object') throw new Error(`an object was expected, not a ${meaning.is}`);
  const before = old === undefined ? undefined : jsonOf(old);
  const checked = check(meaning.object, isJsonMap(before) ? before['spec'] : undefined);
  return 'errors' in checked ? checked.errors.map(({ message }) => message) : [];
}

for (const row of corpus) {
  const says = expected(row, 'parser') ? 'valid' : 'invalid';
  test(`${row.title}: ${says}`, () => {
    const problems = problemsOf(row.document, row.old);
    expect(problems.length === 0 ? 'valid' : 'invalid', problems.join('\n')).toBe(says);
  });
}

test('schemas convert nothing and fill in nothing, so that a valid spec is its own parsed form', () => {
  for (const row of corpus) {
    const meaning = meaningOf(jsonOf(row.document), 'a.yaml', declarations);
    if (!expected(row, 'parser') || meaning.is !== 'object') continue;
    const { declaration, document } = meaning.object;
    expect(shape(declaration.spec, document['spec'], ''), row.title).toStrictEqual({
      value: document['spec'],
    });
  }
});

test('a valid spec is a valid change of itself, so that it can be taken from the state', () => {
  for (const row of corpus) {
    if (row.old || !expected(row, 'parser')) continue;
    expect(problemsOf(row.document, row.document), row.title).toEqual([]);
  }
});

test('is as large as it says, has something of each verdict, and names no case twice', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(300);
  for (const valid of [true, false]) {
    expect(corpus.filter((row) => row.valid === valid).length).toBeGreaterThanOrEqual(100);
  }
  const titles = corpus.map(({ title }) => title);
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
});
