import fc from 'fast-check';
import { expect, test } from 'vitest';
import { takeNext } from '../../../src/core/planning/rollout.ts';

const none = new Set<string>();

test('as many are taken as there are places, in order', () => {
  const all = ['a', 'b', 'c', 'd'];
  expect(takeNext({ all, underWay: none, atOnce: 2 })).toEqual(['a', 'b']);
  expect(takeNext({ all: ['b', 'c', 'd'], underWay: new Set(['b']), atOnce: 2 })).toEqual(['c']);
  expect(takeNext({ all, underWay: new Set(['a', 'b']), atOnce: 2 })).toEqual([]);
});

test('what is under way takes its place though it left the list, and too many of them take no more', () => {
  expect(takeNext({ all: ['b'], underWay: new Set(['gone']), atOnce: 1 })).toEqual([]);
  // Two under way where one may be: places are less than none, and that is not counted from the end of the list.
  expect(takeNext({ all: ['b', 'c', 'd'], underWay: new Set(['x', 'y']), atOnce: 1 })).toEqual([]);
});

test('taken again and again, each is taken once and never more than allowed are under way', () => {
  const sizes = fc.record({ count: fc.nat(30), atOnce: fc.integer({ min: 1, max: 6 }), finished: fc.nat(5) });
  fc.assert(
    fc.property(sizes, ({ count, atOnce, finished }) => {
      const all = Array.from({ length: count }, (_, i) => `a${i}`);
      const [done, underWay, taken] = [new Set<string>(), new Set<string>(), [] as string[]];
      for (let round = 0; round <= count * 2 && done.size < count; round++) {
        for (const one of takeNext({ all: all.filter((each) => !done.has(each)), underWay, atOnce })) {
          underWay.add(one);
          taken.push(one);
        }
        expect(underWay.size).toBeLessThanOrEqual(atOnce);
        for (const one of [...underWay].slice(0, finished + 1)) {
          underWay.delete(one);
          done.add(one);
        }
      }
      expect(taken).toEqual(all);
    }),
  );
});
