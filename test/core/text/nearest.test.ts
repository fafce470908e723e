import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest } from '../../../src/core/text/nearest.ts';

const known = ['capacity', 'capabilities', 'create', 'min', 'max', 'CSIVolume', 'SchedulerConnection'];

describe('nearest', () => {
  test.each([
    { word: 'capasity', meant: 'capacity', why: 'one letter wrong' },
    { word: 'capcaity', meant: 'capacity', why: 'two neighbours swapped' },
    { word: 'capabilites', meant: 'capabilities', why: 'one letter missing' },
    { word: 'csivolume', meant: 'CSIVolume', why: 'case is the commonest mistake of all' },
    { word: 'CSIVolumes', meant: 'CSIVolume', why: 'the plural' },
    { word: 'mni', meant: 'min', why: 'short words get one edit' },
    { word: 'mod', meant: undefined, why: 'two edits of three letters is another word' },
    { word: 'replicas', meant: undefined, why: 'nothing is near: no wild guess' },
    { word: 'x'.repeat(100_000), meant: undefined, why: 'a huge word costs nothing' },
    { word: '', meant: undefined, why: 'nothing was said' },
  ])('$word: $why', ({ word, meant }) => {
    expect(nearest(word, known)).toBe(meant);
  });

  test('a known name is its own nearest, whatever else is known', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 12 }), { maxLength: 8 }),
        fc.stringMatching(/^[a-z]{1,12}$/),
        (others, name) => {
          expect(nearest(name, [...others.filter((o) => o.toLowerCase() !== name), name])).toBe(name);
        },
      ),
    );
  });
});
