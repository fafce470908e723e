import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heap } from '../../../src/controller/queue/heap.ts';

interface Item {
  readonly rank: number;
}

const command = fc.oneof(
  fc.record({ do: fc.constant('push'), n: fc.nat(9) }),
  fc.record({ do: fc.constant('remove'), n: fc.nat(30) }),
  fc.record({ do: fc.constant('removeFirst'), n: fc.constant(0) }),
);

test('the heap answers as a sorted list does, so that no key is passed over', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
      const heap = new Heap<Item>((a, b) => a.rank < b.rank);
      const all: Item[] = [];
      const inside = new Set<Item>();
      for (const { do: what, n } of commands) {
        const item = what === 'push' ? { rank: n } : what === 'remove' ? all[n] : heap.first;
        if (item === undefined) continue;
        if (what === 'push') {
          heap.push(item);
          all.push(item);
          inside.add(item);
        } else {
          expect(heap.remove(item)).toBe(inside.delete(item));
        }
        expect(heap.size).toBe(inside.size);
        expect(heap.first?.rank ?? Infinity).toBe(Math.min(...[...inside].map((i) => i.rank)));
      }
    }),
    { numRuns: 2000 },
  );
});

test('work grows with the logarithm: a hundred thousand items take some twenty comparisons each', () => {
  let comparisons = 0;
  const heap = new Heap<Item>((a, b) => {
    comparisons++;
    return a.rank < b.rank;
  });
  const count = 100_000;
  for (let i = 0; i < count; i++) heap.push({ rank: (i * 7919) % count });
  for (let first = heap.first; first !== undefined; first = heap.first) heap.remove(first);
  expect(comparisons / count).toBeLessThan(40);
});
