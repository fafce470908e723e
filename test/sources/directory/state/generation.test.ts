// The small file beside a state, by which it is known that an earlier state was put in its place: what can't be read there
// must count as none, and it must never be empty, or every start would ask a person.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  GenerationFile,
  generationOf,
  readGeneration,
  writeGeneration,
} from '../../../../src/sources/directory/state/generation.ts';
import { tempFolder } from './support.ts';

const id = '0123456789abcdef';
const good = `${id} 0000000000000012 0000000000000007\n`;

function withText(text: string): string {
  const file = join(tempFolder(), 'state.sqlite');
  writeFileSync(generationOf(file), text);
  return file;
}

test.for([
  ['/data/state.sqlite', '/data/state.generation'],
  ['/data.sqlite/state', '/data.sqlite/state.generation'],
  ['/data/state', '/data/state.generation'],
  ['/data/statesqlite', '/data/statesqlite.generation'],
])('it lies beside the state: %s, %s', ([file = '', beside]) => {
  expect(generationOf(file)).toBe(beside);
});

test('what is written is read again, as a text of which each byte has its place', () => {
  const file = join(tempFolder(), 'state.sqlite');
  writeGeneration(file, { id, commits: 12, folded: 7 });
  expect(readFileSync(generationOf(file), 'utf8')).toBe(good);
  expect(statSync(generationOf(file)).mode & 0o777).toBe(0o600);
  expect(readGeneration(file)).toEqual({ id, commits: 12, folded: 7 });
  writeGeneration(file, { id, commits: 13, folded: 13 });
  expect(readGeneration(file)).toEqual({ id, commits: 13, folded: 13 });
});

test('where there is none, none is read', () => {
  expect(readGeneration(join(tempFolder(), 'state.sqlite'))).toBeUndefined();
});

test.for<[string, string]>([
  ['empty', ''],
  ['cut off', good.slice(0, -1)],
  ['cut off in the last number', `${good.slice(0, -2)}\n`],
  ['cut off in the number before', `${id} 000000000000012 0000000000000007\n`],
  ['cut off at its beginning', good.slice(1)],
  ['something before it', ` ${good}`],
  ['something after it', `${good}\n`],
  ['an ID with other letters', good.replace('f', 'g')],
  ['an ID of other letters only', good.replace(id, 'ghijklmnopqrstuv')],
  ['a count that is no number', good.replace('12', '1x')],
  ['a count of letters only', good.replace('0000000000000012', 'abcdefabcdefabcd')],
  ['a second count that is no number', good.replace('07', '0x')],
  ['a second count of letters only', good.replace('0000000000000007', 'abcdefabcdefabcd')],
])('one that can’t be read is none: %s', ([, text]) => {
  expect(readGeneration(withText(text))).toBeUndefined();
});

test('after each commit it is written over in its place', () => {
  const file = withText(good);
  const open = new GenerationFile(file);
  for (const commits of [13, 9_007_199_254_740_991, 14]) {
    open.write({ id, commits, folded: 7 });
    expect(readGeneration(file)).toEqual({ id, commits, folded: 7 });
  }
  open.close();
});

test('one that is gone is not made anew by who counts commits: a state without one has to be asked about', () => {
  const file = join(tempFolder(), 'state.sqlite');
  expect(() => new GenerationFile(file)).toThrow(/ENOENT/);
  expect(existsSync(generationOf(file))).toBe(false);
});
