// Who refers to whom, who holds whom, and which objects a connection has.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Graph, type Node } from '../../../src/controller/index/references.ts';
import type { Holds, Reference } from '../../../src/core/resource.ts';

const made = (): boolean => true;
const object = (name: string, holds: Holds): Reference => ({
  to: 'object',
  field: `/${name}`,
  target: { kind: 'Toy', namespace: 'shop', name },
  holds,
});
const secret: Reference = {
  to: 'secret',
  field: '/secret',
  target: { kind: 'Secret', namespace: 'shop', name: 'login' },
  entry: 'password',
};
const node = (...references: readonly Reference[]): Node => ({
  uid: 'u1',
  generation: 1,
  deleting: false,
  references,
  connection: 'Conn/c',
});

describe('dependents', () => {
  test('of an object and of a Secret: whoever refers to them, there or not', () => {
    const graph = new Graph();
    graph.set('Toy/shop/a', node(object('b', false), secret));
    expect([...graph.dependents('Toy/shop/b')]).toEqual(['Toy/shop/a']);
    expect([...graph.dependents('Secret/shop/login')]).toEqual(['Toy/shop/a']);
    expect([...graph.dependents('Secret/bank/login')]).toEqual([]);
    expect(graph.get('Toy/shop/b')).toBeUndefined();
  });

  test('can be entered anew by whoever walks them', () => {
    const graph = new Graph();
    for (const name of ['a', 'b']) graph.set(`Toy/shop/${name}`, node(object('c', true)));
    const walked: string[] = [];
    for (const key of graph.dependents('Toy/shop/c')) {
      graph.set(key, node(object('c', true)));
      if (walked.push(key) > 2) break;
    }
    expect(walked).toEqual(['Toy/shop/a', 'Toy/shop/b']);
  });

  test('outlive what they refer to: they have to hear that it is back', () => {
    const graph = new Graph();
    graph.set('Toy/shop/b', node());
    graph.set('Toy/shop/a', node(object('b', false)));
    graph.delete('Toy/shop/b');
    expect([...graph.dependents('Toy/shop/b')]).toEqual(['Toy/shop/a']);
  });

  test('follow an edit: what is no longer referred to is left', () => {
    const graph = new Graph();
    graph.set('Toy/shop/a', node(object('b', true)));
    graph.set('Toy/shop/a', node(object('c', true)));
    expect([...graph.dependents('Toy/shop/b')]).toEqual([]);
    expect([...graph.holders('Toy/shop/b', made)]).toEqual([]);
    expect([...graph.dependents('Toy/shop/c')]).toEqual(['Toy/shop/a']);
  });
});

describe('holders', () => {
  test('are only those whose reference holds', () => {
    const graph = new Graph();
    graph.set('Toy/shop/a', node(object('c', false)));
    graph.set('Toy/shop/b', node(object('d', true), object('c', true)));
    expect([...graph.holders('Toy/shop/c', made)]).toEqual(['Toy/shop/b']);
  });

  test('hold what they are made from until they are made', () => {
    const graph = new Graph();
    graph.set('Toy/shop/a', node(object('c', 'until-made')));
    expect([...graph.holders('Toy/shop/c', () => false)]).toEqual(['Toy/shop/a']);
    expect([...graph.holders('Toy/shop/c', (key) => key === 'Toy/shop/a')]).toEqual([]);
  });

  test('hold the one that they refer to so, and nothing else that they refer to', () => {
    const graph = new Graph();
    graph.set('Toy/shop/a', node(object('b', true), object('c', false), secret));
    expect([...graph.holders('Toy/shop/c', made)]).toEqual([]);
    expect([...graph.holders('Secret/shop/login', made)]).toEqual([]);
  });

  test('refer twice and are named once', () => {
    const graph = new Graph();
    graph.set('Toy/shop/a', node(object('b', false), { ...object('b', true), field: '/again' }));
    expect([...graph.holders('Toy/shop/b', made)]).toEqual(['Toy/shop/a']);
    graph.delete('Toy/shop/a');
    expect([...graph.dependents('Toy/shop/b')]).toEqual([]);
  });
});

test('a population is known by a number that never comes back: verdicts kept for it are never mistaken', () => {
  const graph = new Graph();
  const revisions = [graph.population('Conn/c').revision];
  const note = (): void => void revisions.push(graph.population('Conn/c').revision);
  graph.set('Toy/shop/a', node());
  note();
  graph.set('Toy/shop/a', { ...node(), deleting: true });
  note();
  graph.delete('Toy/shop/a');
  note();
  graph.set('Toy/shop/a', node());
  note();
  expect(new Set(revisions).size).toBe(5);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
});

const names = ['a', 'b', 'c'];
const anyNode: fc.Arbitrary<Node> = fc.record({
  uid: fc.constant('u1'),
  generation: fc.constant(1),
  deleting: fc.boolean(),
  references: fc.array(
    fc.oneof(
      fc.constant(secret),
      fc.tuple(fc.constantFrom(...names), fc.boolean()).map(([n, holds]) => object(n, holds)),
    ),
    { maxLength: 4 },
  ),
  connection: fc.constantFrom('Conn/c', 'Conn/d', undefined),
});
const change = fc.record({
  key: fc.constantFrom(...names.map((n) => `Toy/shop/${n}`)),
  to: fc.option(anyNode, { nil: undefined }),
});

test('after any series of edits and recentDeletions the graph says what the declarations say', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const graph = new Graph();
      const model = new Map<string, Node>();
      for (const { key, to } of changes) {
        if (to) {
          graph.set(key, to);
          model.set(key, to);
        } else {
          graph.delete(key);
          model.delete(key);
        }
      }
      const keys = (is: (n: Node) => boolean): ReadonlySet<string> =>
        new Set([...model].filter(([, n]) => is(n)).map(([key]) => key));
      for (const name of names) {
        const to = (r: Reference): boolean => r.target.kind === 'Toy' && r.target.name === name;
        const target = `Toy/shop/${name}`;
        expect(graph.get(target)).toBe(model.get(target));
        expect(new Set(graph.dependents(target))).toEqual(keys((n) => n.references.some(to)));
        const holds = (r: Reference): boolean => to(r) && r.to === 'object' && r.holds === true;
        expect([...graph.holders(target, made)].toSorted()).toEqual(
          [...keys((n) => n.references.some(holds))].toSorted(),
        );
      }
      for (const connection of ['Conn/c', 'Conn/d']) {
        const { all, deleting } = graph.population(connection);
        expect(all).toEqual(keys((n) => n.connection === connection));
        expect(deleting).toEqual(keys((n) => n.connection === connection && n.deleting));
      }
    }),
  );
});
