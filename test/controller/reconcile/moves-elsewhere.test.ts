// What is called outside as in the namespace of its object moves to another namespace if that is said. Unsaid, nothing is destroyed
// and nothing made, for the one that comes may be the one that leaves.
import { expect, test } from 'vitest';
import { generatedBy } from '../../../src/core/effect.ts';
import { indexObject, rivalsOf } from '../../../src/controller/index/indexing.ts';
import { formerOf, undecided } from '../../../src/controller/reconcile/moves.ts';
import type { DeclaredObject } from '../../../src/core/resource.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { from, howToSay, shot, shots } from '../shots.ts';

test('takes over what is called the same in the namespace that it names: nothing is destroyed, nothing made', async () => {
  const { at, declare, leave, visit, sent } = await shots();
  leave('shop');
  declare('store', { requests: from });
  await visit('shop', 'store');
  expect(at.source.read(shot('store'))?.status).toMatchObject({
    externalRef: { backend: 'c', id: 'store/a' },
    identity: 'd2',
    movedFrom: `uid-${shot('shop')}`,
  });
  expect(await visit('shop')).toEqual(['gone']);
  expect(sent()).toEqual([]);
});

test('one that took over, and does not say from where any more, still lets the former one go', async () => {
  const { declare, leave, visit, sent } = await shots();
  leave('shop');
  declare('store', { requests: from });
  await visit('store');
  declare('store');
  expect(await visit('shop')).toEqual(['gone']);
  expect(sent()).toEqual([]);
});

test('unsaid, both wait until somebody says whether it moves', async () => {
  const { at, declare, leave, visit, sent } = await shots();
  leave('shop');
  declare('store');
  expect(await visit('store', 'shop', 'store')).toEqual([
    `MoveInProgress: an object of another namespace is deleted, and this may be it, moved: ${howToSay}`,
    `DeletionBlocked: an object of another namespace may be it, moved: ${howToSay}`,
    `MoveInProgress: an object of another namespace is deleted, and this may be it, moved: ${howToSay}`,
  ]);
  expect(sent()).toEqual([]);
  expect(rivalsOf(shot('shop'), at.ports)).toEqual([shot('store')]); // it is woken once the other is deleted
  declare('store', {}, { named: 'b' });
  await visit('store', 'shop');
  expect(sent()).toEqual(['c: make store/b ssd', 'c: delete d2']);
});

test('waits for the one that it names until that is deleted: what it would make, nobody asked for', async () => {
  const { declare, visit, sent } = await shots();
  declare('store', { requests: from });
  expect(await visit('store')).toEqual([
    'MoveInProgress: it takes over from an object of another namespace once that is deleted, access gives it the data of that one, and nobody else is to take it over',
  ]);
  expect(sent()).toEqual([]);
});

test('two namespaces may have the same name for what is their own: it is made and destroyed as ever', async () => {
  const { declare, leave, visit, sent } = await shots();
  declare('store');
  await visit('store');
  expect(sent()).toEqual(['c: make store/a ssd']);
  leave('shop');
  expect(await visit('shop')).toEqual(['gone']);
  expect(sent().at(-1)).toBe('c: delete d2');
});

test('one that has its own takes nothing over: what the other has is not let go of as moved', async () => {
  const { declare, leave, visit, sent } = await shots();
  declare('store');
  await visit('store');
  declare('store', { requests: from });
  leave('shop');
  expect(await visit('shop')).toEqual([
    'DeletionBlocked: an object of another namespace is to take it over, and declares another external object, or access does not give it the data of this one',
  ]);
  expect(sent()).toEqual(['c: make store/a ssd']);
});

test('one that only observes is no move: the one that leaves need not wait for it', async () => {
  const { declare, leave, visit, sent } = await shots();
  leave('shop');
  declare('store', {}, { policy: { management: 'ObserveOnly' } });
  expect(await visit('store', 'shop')).toEqual([expect.stringContaining('ExternalNotFound'), 'gone']);
  expect(sent()).toEqual(['c: delete d2']);
});

test('what a schedule generates does not move: what failed in one namespace must not keep what expires in another', async () => {
  const { declare, leave, visit, sent } = await shots();
  leave('shop');
  declare('store', { requests: { [generatedBy]: 'Shot/store/nightly' } }, { waits: true });
  expect(await visit('store', 'shop')).toEqual([expect.stringContaining('DependencyNotReady'), 'gone']);
  expect(sent()).toEqual(['c: delete d2']);
});

test('only what has nothing outside, and stays, takes over; and only from one that leaves something', async () => {
  const { at, declare, leave, visit } = await shots();
  declare('attic', {}, { waits: true });
  await visit('attic');
  leave('attic'); // nothing was made for it
  indexObject(shot('attic'), at.ports);
  declare('store');
  const object = at.source.read(shot('store'))?.object;
  if (!object) throw new Error('it was declared');
  const located = { backend: 'c', id: 'store/a' };
  const former = (status: Partial<Status> = {}, more: Partial<DeclaredObject> = {}) =>
    formerOf({ object: { ...object, ...more }, status: { ...noStatus, ...status } }, located, at.ports);
  expect(former()).toBeUndefined();
  leave('shop');
  indexObject(shot('shop'), at.ports);
  expect(former()).toBe(shot('shop'));
  expect(former({ pending: { op: 'create', token: '' } })).toBeUndefined();
  expect(former({ externalRef: located })).toBeUndefined();
  expect(former({}, { deleting: true })).toBeUndefined();
  for (const askAgainMs of [undefined, 7])
    expect(undecided(shot('shop'), shot('store'), at.ports, askAgainMs).wake).toEqual({ on: 'object' });
});

test('while it is not known whether the other one is still declared, none is made: it may be that, moved', async () => {
  const { at, declare, visit, sent } = await shots();
  at.source.synced = false;
  declare('store');
  expect(await visit('store')).toEqual([
    'MoveInProgress: an object of another namespace has the same, and whether that is still declared is not known yet',
  ]);
  expect(undecided(shot('shop'), shot('store'), at.ports, 7).wake).toEqual({ on: 'time', atMs: 7 });
  at.source.synced = true;
  await visit('store');
  expect(sent()).toEqual(['c: make store/a ssd']);
});

test('one that only observes and says that it takes over keeps the other one: it could not find what that has', async () => {
  const { declare, leave, visit, sent } = await shots();
  leave('shop');
  declare('store', { requests: from }, { policy: { management: 'ObserveOnly' } });
  expect(await visit('store', 'shop')).toEqual([
    expect.stringContaining('ExternalNotFound'),
    'DeletionBlocked: an object of another namespace is to take it over, and only observes: it could not find it',
  ]);
  expect(sent()).toEqual([]);
});
