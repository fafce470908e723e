import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedKeys } from '../../../../src/embedded/scheduler/store/sorted-keys.ts';

const key = fc.oneof(fc.constantFrom('a', 'a\0b', 'a-b\0a', 'b', '__proto__', 'constructor'), fc.string());
const changes = fc.array(fc.tuple(fc.boolean(), key), { maxLength: 40 });

test('keys come in order from any start, after few changes and after many', () => {
  fc.assert(
    fc.property(
      fc.array(key, { maxLength: 300, size: 'max' }),
      fc.array(changes),
      key,
      (first, rounds, start) => {
        const sorted = new SortedKeys();
        const model = new Set(first);
        for (const one of first) sorted.add(one);
        for (const round of [[], ...rounds]) {
          for (const [present, one] of round) {
            if (present) sorted.add(one);
            else sorted.remove(one);
            if (present) model.add(one);
            else model.delete(one);
          }
          const expected = [...model].filter((one) => one >= start).toSorted();
          expect([...sorted.from(start)]).toEqual(expected);
        }
      },
    ),
    { numRuns: 60 },
  );
});
