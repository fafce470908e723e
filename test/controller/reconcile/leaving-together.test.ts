// A plan of what leaves together: who goes as well holds nothing up, and who stays does. A saved plan ended half done.
import { expect, test } from 'vitest';
import { Graph } from '../../../src/controller/index/references.ts';
import { stillUsed } from '../../../src/controller/reconcile/holders.ts';
import { parseKey } from '../../../src/core/resource.ts';
import { noStatus } from '../../../src/core/status/status.ts';

const volume = 'CSIVolume/shop/data';
const keyOf = (text: string) => parseKey(text)!;
const users = ['CSISnapshot/shop/a', 'CSISnapshot/shop/b'];

const there = (name: string) => ({
  object: { key: keyOf(name), uid: name, generation: 1, deleting: false, held: true, requests: {}, spec: {} },
  status: noStatus,
});

/** @param holds `until-made`: a user that is not made yet holds it until it is; `true`: while it is there */
function saidWith(holds: true | 'until-made', leaves?: (key: string) => boolean) {
  const graph = new Graph();
  for (const name of users)
    graph.set(name, {
      uid: name,
      generation: 1,
      deleting: false,
      references: [{ to: 'object', field: '/volumeRef', target: keyOf(volume), holds }],
      connection: undefined,
    });
  return stillUsed(volume, { graph, kinds: new Map(), source: { read: there }, ...(leaves && { leaves }) });
}

test('a reconcile knows of nobody who leaves: all hold it', () => {
  expect(saidWith(true)?.message).toBe('still used by CSISnapshot/shop/a and 1 more');
});

test('in a plan they hold it as far as they stay', () => {
  expect(saidWith(true, (key) => key === users[0])?.message).toBe('still used by CSISnapshot/shop/b');
  expect(saidWith(true, () => true)).toBeUndefined();
});

test('so do those that are to be made from it, for which it stays Ready', () => {
  const { message, serves } = saidWith('until-made', (key) => key === users[1]) ?? {};
  expect({ message, serves }).toEqual({ message: 'still used by CSISnapshot/shop/a', serves: true });
  expect(saidWith(true, (key) => key === users[1])).not.toHaveProperty('serves');
  expect(saidWith('until-made', () => true)).toBeUndefined();
});
