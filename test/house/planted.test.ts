// A planted bug whose place has moved, or that names what is not there any more, proves nothing: the suites that plant them take
// long, so this is seen here.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Edit } from '../faults/planted/planting.ts';
import { planted as inFaults } from '../faults/planted/bugs.ts';
import { planted as inSimulation } from '../simulation/planted.ts';
import { folder } from '../support/cli.ts';

const root = resolve(import.meta.dirname, '../..');
const source = new Map(
  globSync('src/**/*.ts', { cwd: root }).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);
const bugs = [...inFaults, ...inSimulation];

test.for(bugs)('each edit of the planted bug fits one place: $name', ({ edits }) => {
  const places = edits.map(({ find }) =>
    [...source.values()].reduce((sum, text) => sum + text.split(find).length - 1, 0),
  );
  expect(places).toEqual(edits.map(() => 1));
});

/** The files that the edits change, as they are then. */
function changed(edits: readonly Edit[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { find, put } of edits)
    for (const [file, text] of source)
      if (text.includes(find)) files.set(file, (files.get(file) ?? text).split(find).join(put));
  return files;
}

const rules = {
  categories: { correctness: 'off' },
  env: { builtin: true, node: true },
  rules: { 'no-undef': 'error' },
};

/** Names that are used in a folder and defined nowhere. Checking the types of each bug would take minutes. */
function undefinedIn(directory: string): readonly string[] {
  writeFileSync(join(directory, 'rules.json'), JSON.stringify(rules));
  const args = ['-c', join(directory, 'rules.json'), '--format', 'unix', directory];
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), args, { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes('not defined'));
}

test('a planted bug names only what is there: the program would fail before it sends anything', async () => {
  const directory = await folder();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  for (const { name, edits } of bugs)
    for (const [file, text] of changed(edits)) write(join(name.replaceAll(/\W+/g, '-'), file), text);
  write('control.ts', 'nowhere();\n');
  expect(undefinedIn(directory)).toEqual([expect.stringMatching(/control.ts.*'nowhere' is not defined/)]);
});
