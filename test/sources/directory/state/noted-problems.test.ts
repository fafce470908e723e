// What `get` and `describe` know of files that can't be used, where only the state is read.
import { expect, test } from 'vitest';
import type { Problem } from '../../../../src/core/text/problem.ts';
import { notedIn, noteOf } from '../../../../src/sources/directory/state/noted-problems.ts';

const problems = (count: number, message: string): readonly Problem[] =>
  Array.from({ length: count }, (_, index) => ({
    message,
    origin: `v/${index}.yaml`,
    key: `CSIVolume/shop/v${index}`,
    place: { file: `v/${index}.yaml`, line: 6, column: 3 },
  }));

test('a thousand files with one mistake are a thousand: of the others it was said that there is no such object', () => {
  const all = problems(1_000, 'unknown field "pluginId"');
  expect(notedIn(noteOf(all))).toEqual(all);
});

test('as many as a scan tells of, with long texts, stay small: the first ones keep more of theirs', () => {
  const text = noteOf(problems(10_000, 'x'.repeat(2_000)));
  expect(text.length).toBeLessThan(5e6);
  const noted = notedIn(text);
  expect(noted).toHaveLength(10_000);
  expect([noted[0], noted.at(-1)].map((problem) => problem?.message.length)).toEqual([1_024, 256]);
});
