// A planted bug whose place has moved proves nothing: the suites that plant them take long, so this is seen here.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { planted as inFaults } from '../faults/planted/bugs.ts';
import { planted as inSimulation } from '../simulation/planted.ts';

const root = resolve(import.meta.dirname, '../..');
const source = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));

test.for([...inFaults, ...inSimulation])(
  'each edit of the planted bug fits one place: $name',
  ({ edits }) => {
    const places = edits.map(({ find }) =>
      source.reduce((sum, text) => sum + text.split(find).length - 1, 0),
    );
    expect(places).toEqual(edits.map(() => 1));
  },
);
