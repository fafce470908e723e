// What a reader of a followed page can type. The test that runs the pages also runs what they hide, so it would not notice.
import { accessSync, constants, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../coverage/sources.ts';
import { commandsOf } from './console.ts';
import { followed } from './followed.ts';

const pageOf = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const names = (text: string, form: RegExp): readonly string[] =>
  [...text.matchAll(form)].map(([, name = '']) => name);

test.for(followed())('%s: no command needs a variable that is set out of sight', (path) => {
  const seen = pageOf(path).replaceAll(/<!--[\s\S]*?-->/g, '');
  const typed = commandsOf(seen)
    .map(({ command }) => command)
    .join('\n');
  const set = new Set(names(typed, /\b([A-Z_]+)=/g));
  expect(names(typed, /\$\{?([A-Z_]+)/g).filter((name) => !set.has(name))).toEqual([]);
});

test('the name that pages have a reader give to the program of a checkout leads to it', () => {
  const paths = ['docs/first-steps.md', 'docs/tour.md', 'docs/using.md'];
  const programs = paths.map((path) => names(pageOf(path), /`alias holdfast="\$PWD\/([^"]*)"`/g));
  expect(programs).toEqual(paths.map(() => ['src/cli/holdfast.mjs']));
  accessSync(`${root}/src/cli/holdfast.mjs`, constants.X_OK);
});
