// The judge of the mutants: a survivor that nobody accepted must not pass, nor a list that says what is no longer so.
import { expect, test } from 'vitest';
import { chosen } from './chosen.ts';
import { groups } from './groups.ts';
import { changeOf, verdictOf, type Played } from './verdict.ts';

const change = { line: 'if (a) b();', becomes: 'if (true) b();' };
const played = (noticed: boolean, more: Partial<Played> = {}): Played => ({
  file: 'src/a.ts',
  noticed,
  ...change,
  ...more,
});
const listed = { 'src/a.ts': [{ ...change, why: 'b does nothing' }] };

test('a survivor counts until somebody says why it is accepted', () => {
  expect(verdictOf([played(false)], {}).unknown).toEqual([played(false)]);
  expect(verdictOf([played(false)], listed)).toMatchObject({ unknown: [], stale: [] });
  const other = played(false, { becomes: 'if (false) b();' });
  expect(verdictOf([other, played(false)], listed).unknown).toEqual([other]);
  expect(verdictOf([played(false, { file: 'src/b.ts' })], listed).unknown).toHaveLength(1);
});

test('what is accepted and then noticed, or no longer made, is stale; of other files nothing is said', () => {
  const stale = [{ file: 'src/a.ts', ...change }];
  expect(verdictOf([played(true)], listed).stale).toEqual(stale);
  expect(verdictOf([played(true, { line: 'c();' })], listed).stale).toEqual(stale);
  expect(verdictOf([played(true, { file: 'src/b.ts' })], listed).stale).toEqual([]);
  // Of two alike, one is noticed and the other is not.
  expect(verdictOf([played(true), played(false)], listed)).toMatchObject({ unknown: [], stale: [] });
});

test('counts by file', () => {
  const all = [played(true), played(false), played(true, { file: 'src/b.ts' })];
  expect(verdictOf(all, listed).rows).toEqual([
    { file: 'src/a.ts', mutants: 2, noticed: 1 },
    { file: 'src/b.ts', mutants: 1, noticed: 1 },
  ]);
});

const place = (line: number, column: number) => ({ line, column });

test('a change is shown by its line before and after, of many lines by the first', () => {
  const text = 'one();\n  two(a, b);\n  three();\n';
  expect(changeOf(text, place(2, 7), place(2, 8), 'c')).toEqual({
    line: 'two(a, b);',
    becomes: 'two(c, b);',
  });
  expect(changeOf(text, place(1, 1), place(3, 10), '{}')).toEqual({ line: 'one();', becomes: '{};' });
});

const sizes = (file: string): number => file.length * 100;
const drawn = (share: number, seed: string) =>
  chosen({ named: [], share, seed }, sizes).flatMap((group) => group.files);
const bytes = (files: readonly string[]) => files.reduce((sum, file) => sum + sizes(file), 0);
const everything = groups.flatMap((group) => group.files);

test('a share is about that part of the whole, the same for a seed; each file is drawn sooner or later', () => {
  expect(drawn(1, 'x')).toEqual(everything);
  expect(drawn(6, 'x')).toEqual(drawn(6, 'x'));
  const seen = new Set<string>();
  let sum = 0;
  for (let seed = 0; seed < 200; seed++) {
    const files = drawn(6, String(seed));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) seen.add(file);
    sum += bytes(files);
  }
  expect(seen).toEqual(new Set(everything));
  expect(sum / 200 / bytes(everything)).toBeCloseTo(1 / 6, 1);
});

const named = (...names: readonly string[]) => chosen({ named: names, share: 1, seed: '' }, sizes);

test('files are named by a part of their names, and a wrong name is told', () => {
  expect(named('planning/diff')).toEqual([{ ...groups[0], files: ['core/planning/diff'] }]);
  expect(() => named('planning/diff', 'nowhere')).toThrow(
    'no file of test/mutants/groups.ts has nowhere in its name',
  );
});
