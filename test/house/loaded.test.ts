// What an operator never uses, and what few use, is not loaded with it: all of it is memory for as long as it runs.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';

const house = resolve(import.meta.dirname, '../..');

/** Without types, and without what `import()` loads when it is needed. */
const loadedBy = (file: string): readonly string[] =>
  Array.from(readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '(.+?)';$/gm)).map(
    ([, from = '']) => (from.startsWith('.') ? resolve(dirname(file), from) : from),
  );

/** With all that it loads, and what that loads in turn. */
function loadedWith(...files: readonly string[]): readonly string[] {
  const loaded = new Set(files.map((file) => resolve(house, file)));
  for (const file of loaded) if (file.startsWith(house)) for (const one of loadedBy(file)) loaded.add(one);
  return [...loaded].map((file) => file.replace(`${house}/`, ''));
}

test.for(['run', 'run-kubernetes'])(
  '%s loads neither the embedded services nor clients that few need',
  (name) => {
    const loaded = loadedWith('src/cli/main.ts', `src/cli/commands/${name}.ts`);
    expect(loaded).toContain('src/controller/controller.ts');
    const large = /^src\/embedded\/|^src\/api\/identity\/ldap\.ts$|^ldapts$|^@kubernetes\/client-node$/;
    expect(loaded.filter((file) => large.test(file))).toEqual([]);
  },
);

test('dev, which serves them, is seen to load them', () => {
  expect(loadedWith('src/cli/commands/dev.ts')).toContain('src/embedded/secrets/server.ts');
});
