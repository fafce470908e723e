// Files that import each other in a circle can't be read, moved or tested one by one; types count as well.
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const house = resolve(import.meta.dirname, '../..');
const files = globSync('src/**/*.ts', { cwd: house }).map((file) => resolve(house, file));

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)';/gms)].map(
    ([, path = '']) => resolve(dirname(file), path),
  );

/** What is left once every file is taken away, again and again, that imports none of those that are left. */
function circles(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const left = new Set(imports.keys());
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const file of left) {
      if (!(imports.get(file) ?? []).some((one) => left.has(one))) left.delete(file);
    }
  }
  return [...left];
}

test('no files import each other in a circle', () => {
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  expect([...imports.values()].flat().length).toBeGreaterThan(1_000);
  expect(circles(imports).map((file) => relative(house, file))).toEqual([]);
});

test('a circle would be seen, with those who import it', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['b']],
    ['d', []],
  ]);
  expect(circles(imports)).toEqual(['a', 'b', 'c']);
});
