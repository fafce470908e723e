// Which object answers for which external object.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExternalOwners } from '../../../src/controller/index/external-owners.ts';
import { refText, type ExternalObject } from '../../../src/core/resource.ts';

const type = 'scheduler/volume';
const x = { type, backend: 'b1', id: 'x' } as const;
const y = { type, backend: 'b1', id: 'y' } as const;

test('what has the same name is another object where it is of another type, or of another service', () => {
  const owners = new ExternalOwners();
  const types = ['secrets/ldap-role', 'secrets/oidc-role', 'scheduler/ldap-role'] as const;
  for (const one of types) expect(owners.claim({ ...x, type: one }, one, true)).toBe(one);
  expect(owners.claim({ ...x, type: 'secrets/oidc-role' }, 'late', true)).toBe('secrets/oidc-role');
  expect(owners.claimants({ ...x, type: 'secrets/ldap-role' })).toEqual(['secrets/ldap-role']);
});

describe('two declarations of one external object', () => {
  test('the first keeps it, however often the second asks', () => {
    const owners = new ExternalOwners();
    expect(owners.claim(x, 'a', false)).toBe('a');
    expect([owners.claim(x, 'b', false), owners.claim(x, 'b', false), owners.claim(x, 'a', false)]).toEqual([
      'a',
      'a',
      'a',
    ]);
    expect(owners.claimants(x)).toEqual(['a', 'b']);
  });

  test('the one that is known to own it goes before the one that only names it', () => {
    const owners = new ExternalOwners();
    owners.claim(x, 'a', false);
    expect(owners.claim(x, 'b', true)).toBe('b');
    expect(owners.claim(x, 'a', false)).toBe('b');
  });

  test('of two that are known to own it, the first keeps it: a later record displaces nobody', () => {
    const owners = new ExternalOwners();
    owners.claim(x, 'named', false);
    owners.claim(x, 'a', true);
    expect(owners.claim(x, 'b', true)).toBe('a');
    expect(owners.claim(x, 'c', true)).toBe('a');
    expect(owners.claimants(x)).toEqual(['a', 'b', 'c', 'named']);
    expect(owners.claim(x, 'named', true)).toBe('a');
    expect(owners.claimants(x)).toEqual(['a', 'b', 'c', 'named']);
  });

  test('who merely names it and comes to be known as its owner goes before those who do not', () => {
    const owners = new ExternalOwners();
    owners.claim(x, 'a', false);
    owners.claim(x, 'b', false);
    expect(owners.claim(x, 'b', true)).toBe('b');
    expect(owners.claimants(x)).toEqual(['b', 'a']);
    // Once known, it is not forgotten because it is asked for less.
    expect(owners.claim(x, 'b', false)).toBe('b');
    expect(owners.claim(x, 'a', true)).toBe('b');
    expect(owners.claimants(x)).toEqual(['b', 'a']);
  });

  test('who may not use the service comes last, for as long as that is so', () => {
    const owners = new ExternalOwners();
    expect(owners.claim(x, 'denied', false, false)).toBe('denied');
    expect(owners.claim(x, 'a', false)).toBe('a');
    expect(owners.claim(x, 'denied', false, true)).toBe('a');
    expect(owners.claim(x, 'a', false, false)).toBe('denied');
    expect(owners.claim(x, 'a', true, false)).toBe('a');
    expect(owners.claimants(x)).toEqual(['a', 'denied']);
  });

  test('what each declares is known until it gives it up', () => {
    const owners = new ExternalOwners();
    owners.claim(x, 'a', false);
    const declared = owners.declaredBy('a');
    expect(declared).toBeDefined();
    owners.claim({ id: 'x', backend: 'b1', type }, 'b', false);
    expect([owners.ownerFor('b'), owners.ownerFor('nobody')]).toEqual(['a', undefined]);
    expect(owners.declaredBy('b')).toBe(declared);
    owners.claim(y, 'b', false);
    expect(owners.declaredBy('b')).not.toBe(declared);
    owners.drop('a');
    expect(owners.declaredBy('a')).toBeUndefined();
  });

  test('what is declared is known as a whole, and as an external object: what is not among it is nobody’s', () => {
    const owners = new ExternalOwners();
    owners.claim(x, 'a', true);
    owners.claim(y, 'b', false);
    expect(owners.declared()).toEqual([x, y]);
    owners.drop('a');
    expect(owners.declared()).toEqual([y]);
  });

  test('what each declares is known as others write it, whatever the service calls itself: it is forgotten by that', () => {
    const owners = new ExternalOwners();
    owners.identify('b1', 'service');
    owners.claim(x, 'a', false);
    expect(owners.declaredBy('a')).toBe(refText(x));
  });

  test('are about the same object whatever the order of the parts of its place', () => {
    const owners = new ExternalOwners();
    owners.claim(x, 'a', false);
    expect(owners.claim({ id: 'x', backend: 'b1', type }, 'b', false)).toBe('a');
    expect(owners.claim({ type, backend: 'b2', id: 'x' }, 'c', false)).toBe('c');
  });

  test('when the first leaves, those behind it are told and the next one has it', () => {
    const owners = new ExternalOwners();
    for (const key of ['a', 'b', 'c']) owners.claim(x, key, false);
    expect(owners.drop('a')).toEqual(['b', 'c']);
    expect(owners.claim(x, 'c', false)).toBe('b');
    expect(owners.drop('b')).toEqual(['c']);
    expect(owners.drop('c')).toEqual([]);
    expect(owners.claimants(x)).toEqual([]);
  });
});

test('an object that comes to name another external object gives up the one before', () => {
  const owners = new ExternalOwners();
  owners.claim(x, 'a', true);
  owners.claim(y, 'a', false);
  expect([owners.claimants(x), owners.claimants(y)]).toEqual([[], ['a']]);
  expect(owners.claim(x, 'b', false)).toBe('b');
});

test('who claims nothing gives up nothing', () => {
  expect(new ExternalOwners().drop('a')).toEqual([]);
});

describe('whose data they are, through whatever service and address', () => {
  test('what is recorded for another is told: its leaving must not destroy them', () => {
    const owners = new ExternalOwners();
    owners.record('a', ['d1'], 'd1 7');
    expect([owners.holder('d1', 'b'), owners.holder('d1', 'a'), owners.holder('d2', 'b')]).toEqual([
      'a',
      undefined,
      undefined,
    ]);
  });

  test('recorded for two, each is in the way of the other', () => {
    const owners = new ExternalOwners();
    for (const key of ['a', 'b']) owners.record(key, ['d1'], undefined);
    expect([owners.holder('d1', 'a'), owners.holder('d1', 'b')]).toEqual(['b', 'a']);
  });

  test('the same disk registered twice is two external objects: adopting one is not taking the other', () => {
    const owners = new ExternalOwners();
    owners.record('a', ['d1'], 'd1 7');
    expect(owners.holder('d1', 'b', 'd1 8')).toBeUndefined();
    expect(owners.holder('d1', 'b', 'd1 7')).toBe('a');
  });

  test('a record takes the place of the one before: what was replaced holds nobody up', () => {
    const owners = new ExternalOwners();
    owners.record('a', ['d1', 'd2'], undefined);
    owners.record('a', ['d2'], undefined);
    expect([owners.holder('d1', 'b'), owners.holder('d2', 'b')]).toEqual([undefined, 'a']);
    owners.record('a', [], undefined);
    expect(owners.holder('d2', 'b')).toBeUndefined();
  });

  test('who stood in the way tells whom he stood in the way of: else they wait for a timer', () => {
    const owners = new ExternalOwners();
    owners.record('a', ['d1', 'd2'], undefined);
    expect(owners.record('b', ['d1'], undefined)).toEqual([]);
    expect(owners.record('a', ['d1', 'd2'], undefined)).toEqual([]); // as before
    expect(owners.record('a', ['d2'], undefined)).toEqual(['b']);
    // Once: who gives it up again stands in nobody's way.
    owners.record('c', ['d1'], undefined);
    expect([owners.record('b', [], undefined), owners.record('b', [], undefined)]).toEqual([['c'], []]);
  });
});

describe('one service under two addresses', () => {
  const here = { type, backend: 'http://localhost', id: 'x' } as const;
  const there = { type, backend: 'http://127.0.0.1', id: 'x' } as const;

  test('is two until it names itself', () => {
    const owners = new ExternalOwners();
    owners.claim(here, 'a', true);
    expect(owners.claim(there, 'b', false)).toBe('b');
  });

  test('and one from then on: the second declaration of an external object waits, whatever it is called by', () => {
    const owners = new ExternalOwners();
    owners.claim(here, 'a', true);
    expect([here, there].map(({ backend }) => owners.identify(backend, 'cluster-1'))).toEqual([false, true]);
    expect(owners.claim(there, 'b', false)).toBe('a');
    expect(owners.claimants(here)).toEqual(['a', 'b']);
    expect(owners.claim({ ...there, id: 'y' }, 'c', false)).toBe('c'); // the service is one, what is in it is many
  });

  test('is news once, and for the second address only: what was claimed at the first stands as it is', () => {
    const owners = new ExternalOwners();
    owners.claim(here, 'a', true);
    const news = (at: ExternalObject, service: string) => owners.identify(at['backend'] ?? '', service);
    expect([1, 2].map(() => news(here, 'cluster-1'))).toEqual([false, false]);
    expect([1, 2].map(() => news(there, 'cluster-1'))).toEqual([true, false]);
    expect(owners.claim(there, 'b', true)).toBe('a');
  });

  test('ends where an address leads elsewhere: then it is two again, and stays so for a third', () => {
    const owners = new ExternalOwners();
    const third = { type, backend: 'http://third', id: 'x' } as const;
    const news = (at: ExternalObject, service: string) => owners.identify(at['backend'] ?? '', service);
    for (const at of [here, there]) news(at, 'cluster-1');
    owners.claim(there, 'b', true);
    expect(news(here, 'cluster-2')).toBe(true);
    expect(owners.claim(here, 'a', true)).toBe('a');
    expect(news(third, 'cluster-1')).toBe(true);
    expect(owners.claim(third, 'c', true)).toBe('b');
    expect(news(third, 'cluster-2')).toBe(true);
    expect(owners.claim(third, 'c', true)).toBe('a');
    expect(news(here, 'cluster-1')).toBe(true);
    expect(owners.claim(here, 'a', true)).toBe('b');
  });

  test('what was claimed before it named itself is claimed anew, not twice', () => {
    const owners = new ExternalOwners();
    owners.claim(here, 'a', true);
    for (const { backend } of [here, there]) owners.identify(backend, 'cluster-1');
    owners.claim(here, 'a', true);
    expect(owners.claim(there, 'b', false)).toBe('a');
    expect(owners.drop('a')).toEqual(['b']);
    expect(owners.claimants(here)).toEqual(['b']);
  });
});

const key = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  fc.record({ act: fc.constant('claim' as const), key, ref: fc.constantFrom(x, y) }),
  fc.record({ act: fc.constant('drop' as const), key, ref: fc.constant(x) }),
);

test('first come, first served, whoever comes, changes its mind and leaves', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const owners = new ExternalOwners();
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

describe('what a declaration names, where another one is recorded for it', () => {
  const owners = new ExternalOwners();
  owners.claim(x, 'a', true);
  owners.claim(y, 'b', true);

  test('is known, and who has it is told when that ends', () => {
    owners.name('a', y);
    expect([owners.namedBy(y), owners.namedBy(x), owners.waitingFor('a')]).toEqual([['a'], [], ['b']]);
    expect([owners.claimants(y), owners.waitingFor('b')]).toEqual([['b'], []]);
    owners.claim(x, 'c', false);
    expect(owners.drop('a')).toEqual(['c', 'b']);
    expect([owners.namedBy(y), owners.waitingFor('a'), owners.drop('a')]).toEqual([[], [], []]);
  });

  test('is nothing where it is the recorded one, or nobody knows what it names', () => {
    owners.name('b', x);
    owners.name('b', y);
    expect([owners.namedBy(x), owners.namedBy(y)]).toEqual([[], []]);
    owners.name('b', x);
    owners.name('b', undefined);
    expect(owners.namedBy(x)).toEqual([]);
  });

  test('is told, too, of one that has nothing on record by now', () => {
    owners.name('never', y);
    expect(owners.drop('never')).toEqual(['b']);
  });
});
