// Which object answers for which external object.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Owners } from '../../src/controller/owners.ts';

const x = { backend: 'b1', id: 'x' };
const y = { backend: 'b1', id: 'y' };

describe('two declarations of one external object', () => {
  test('the first keeps it, however often the second asks', () => {
    const owners = new Owners();
    expect(owners.claim(x, 'a', false)).toBe('a');
    expect([owners.claim(x, 'b', false), owners.claim(x, 'b', false), owners.claim(x, 'a', false)]).toEqual([
      'a',
      'a',
      'a',
    ]);
    expect(owners.claimants(x)).toEqual(['a', 'b']);
  });

  test('the one that is known to own it goes before the one that only names it', () => {
    const owners = new Owners();
    owners.claim(x, 'a', false);
    expect(owners.claim(x, 'b', true)).toBe('b');
    expect(owners.claim(x, 'a', false)).toBe('b');
  });

  test('are about the same object whatever the order of the parts of its place', () => {
    const owners = new Owners();
    owners.claim(x, 'a', false);
    expect(owners.claim({ id: 'x', backend: 'b1' }, 'b', false)).toBe('a');
    expect(owners.claim({ backend: 'b2', id: 'x' }, 'c', false)).toBe('c');
  });

  test('when the first leaves, those behind it are told and the next one has it', () => {
    const owners = new Owners();
    for (const key of ['a', 'b', 'c']) owners.claim(x, key, false);
    expect(owners.drop('a')).toEqual(['b', 'c']);
    expect(owners.claim(x, 'c', false)).toBe('b');
    expect(owners.drop('b')).toEqual(['c']);
    expect(owners.drop('c')).toEqual([]);
    expect(owners.claimants(x)).toEqual([]);
  });
});

test('an object that comes to name another external object gives up the one before', () => {
  const owners = new Owners();
  owners.claim(x, 'a', true);
  owners.claim(y, 'a', false);
  expect([owners.claimants(x), owners.claimants(y)]).toEqual([[], ['a']]);
  expect(owners.claim(x, 'b', false)).toBe('b');
});

test('who claims nothing gives up nothing', () => {
  expect(new Owners().drop('a')).toEqual([]);
});

const key = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  fc.record({ act: fc.constant('claim' as const), key, ref: fc.constantFrom(x, y) }),
  fc.record({ act: fc.constant('drop' as const), key, ref: fc.constant(x) }),
);

test('first come, first served, whoever comes, changes its mind and leaves', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const owners = new Owners();
      let queue: readonly { readonly key: string; readonly id: string }[] = [];
      const waiting = (id: string): readonly string[] => queue.filter((c) => c.id === id).map((c) => c.key);
      for (const s of steps) {
        const held = queue.find((c) => c.key === s.key);
        if (s.act === 'drop' || held?.id !== s.ref.id) queue = queue.filter((c) => c !== held);
        if (s.act === 'drop') {
          expect(owners.drop(s.key)).toEqual(held === undefined ? [] : waiting(held.id));
        } else {
          if (held?.id !== s.ref.id) queue = [...queue, { key: s.key, id: s.ref.id }];
          expect(owners.claim(s.ref, s.key, false)).toBe(waiting(s.ref.id)[0]);
        }
        expect([owners.claimants(x), owners.claimants(y)]).toEqual([waiting('x'), waiting('y')]);
      }
    }),
  );
});
