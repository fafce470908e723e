// One visit with everything a kind may ask of it: a connection reached through another object, effects through a second
// connection, outputs, requests, intents. Each is where an operator loses data or acts twice when it goes wrong.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { Died, World, type Perform } from '../bench.ts';
import { chain, connKey, leaf, part, sealed, works } from '../chain.ts';

const ask = (at: World, token: string) =>
  at.source.declare({ key: leaf, spec: {}, requests: { turn: token } });
const ready = (at: World) => conditionOf(memory(at)?.conditions ?? [], 'Ready')?.status;
const memory = (at: World) => at.source.read('Leaf/shop/leaf')?.status;

test('an object is reached through another one, whose word counts over the connection’s', async () => {
  const at = await chain();
  const visit = await at.visit('Leaf/shop/leaf');
  expect(visit?.ending.is).toBe('rest');
  expect(memory(at)?.externalRef).toEqual({ backend: 'first', mount: 'm', name: 'leaf' });
  expect(memory(at)?.observed).toEqual({ of: 'connection', mount: 'm', from: 'part' });
});

test('nothing is sent for it while that other object is not ready, and it says what it waits for', async () => {
  const at = await chain();
  const entry = at.source.read('Part/shop/part');
  if (!entry) throw new Error('it was declared');
  at.source.entries.set('Part/shop/part', { ...entry, status: { ...entry.status, conditions: [] } });
  at.source.log.length = 0;
  await at.visit('Leaf/shop/leaf');
  expect(conditionOf(memory(at)?.conditions ?? [], 'Ready')).toMatchObject({
    reason: 'DependencyNotReady',
    message: '/part: Part/shop/part is not ready',
  });
  expect(at.source.log).toEqual(['status rest']);
});

test('an object in between that is not declared is named', async () => {
  const at = await chain();
  at.source.entries.delete('Part/shop/part');
  await at.visit('Leaf/shop/leaf');
  expect(conditionOf(memory(at)?.conditions ?? [], 'Ready')?.message).toBe(
    '/part: Part/shop/part does not exist',
  );
});

test('nothing is done for an object that the source does not open yet', async () => {
  const at = await chain();
  at.source.open = () => undefined;
  at.source.log.length = 0;
  expect(await at.visit('Leaf/shop/leaf')).toBeUndefined();
  expect(at.source.log).toEqual([]);
});

test('a connection that leaves works for those who have to leave before it', async () => {
  const before = await chain();
  await before.visit('Leaf/shop/leaf');
  const at = before.restarted(works);
  at.source.approved = () => 'uid-Leaf/shop/leaf 1 is deleted'; // both of two would go
  for (const key of [connKey('first'), part, leaf]) at.source.declare({ key, spec: {}, deleting: true });
  expect((await at.visit('Conn/first'))?.ending).toMatchObject({
    is: 'blocked',
    usable: true,
    plan: { reason: 'DeletionBlocked', message: 'still used by Part/shop/part' },
  });
  for (const key of ['Conn/second', 'Part/shop/part']) await at.visit(key);
  expect((await at.visit('Leaf/shop/leaf'))?.ending).toMatchObject({ is: 'gone' });
});

test('a connection that leaves and can not be used says why not: those who wait for it have to know that first', async () => {
  const at = await chain();
  at.source.declare({ key: connKey('first'), spec: sealed, deleting: true });
  expect((await at.visit('Conn/first'))?.ending).toEqual({
    is: 'blocked',
    plan: expect.objectContaining({ reason: 'Sealed', message: 'the service is sealed' }),
  });
});

test.for([
  {
    why: 'never placed, by a connection that was never opened',
    visited: false,
    opened: false,
    unplaced: true,
  },
  { why: 'placed before', visited: true, opened: false, unplaced: undefined },
  { why: 'whose connection tells where it would be', visited: false, opened: true, unplaced: undefined },
])('only of one that may be anywhere is it said: $why', async ({ visited, opened, unplaced }) => {
  const at = await chain();
  if (visited) await at.visit('Leaf/shop/leaf');
  if (!opened) await at.ports.connections.close('Conn/first');
  at.ports.connections.setHealth('Conn/first', false, 'no Secret');
  expect((await at.visit('Leaf/shop/leaf'))?.ending).toEqual({
    is: 'parked',
    message: '/part: Conn/first: no Secret',
    early: false,
    unplaced,
  });
});

test('requests that are there at first sight were not asked of this object', async () => {
  const at = await chain(works, { turn: 'old' });
  await at.visit('Leaf/shop/leaf');
  expect(at.source.log.filter((line) => line.includes('turn'))).toEqual([]);
  expect(memory(at)?.handledRequests).toEqual({ turn: 'old' });
});

test('a request: the intent is kept first, then it is done, published, told through the other connection, once', async () => {
  const at = await chain();
  await at.visit('Leaf/shop/leaf');
  at.source.log.length = 0;
  ask(at, 't1');
  await at.visit('Leaf/shop/leaf');
  await at.visit('Leaf/shop/leaf');
  expect(at.source.log).toEqual([
    'status turn t1',
    'first: turn t1',
    'publish login t1',
    'second: tell t1',
    'status rest',
  ]);
  expect(memory(at)).toMatchObject({ handledRequests: { turn: 't1' }, own: 't1' });
  expect(memory(at)?.pending).toBeUndefined();
});

test.for(['before', 'after'] as const)('killed %s the effect: it happens once', async (when) => {
  const dies: Perform = (connection, effect) => {
    if (!effect.startsWith('turn')) return works(connection, effect);
    if (when === 'after') works(connection, effect);
    return 'die';
  };
  const at = await chain(dies);
  await at.visit('Leaf/shop/leaf');
  ask(at, 't1');
  await expect(at.visit('Leaf/shop/leaf')).rejects.toThrow(Died);
  const turns: string[] = [];
  const next = at.restarted((connection, effect) => {
    if (effect.startsWith('turn')) turns.push(effect);
    return works(connection, effect);
  });
  for (const key of ['Conn/first', 'Conn/second', 'Part/shop/part', 'Leaf/shop/leaf']) await next.visit(key);
  expect(turns).toEqual(when === 'after' ? [] : ['turn t1']);
  expect(memory(next)).toMatchObject({ handledRequests: { turn: 't1' }, own: 't1' });
  expect(next.source.memoryOutputs.placed.get('shop/login')?.output.revision).toBe('t1');
});

test.for([
  ['refused', false, undefined],
  ['timeout', true, 'turn'],
] as const)('%s: the intent stays only where it may have happened', async ([kind, acted, pending]) => {
  const error = new ApiError(kind, 'Rejected', 'no luck', { mayHaveHadEffect: acted });
  const at = await chain((connection, effect) =>
    effect.startsWith('turn') ? { is: acted ? 'unknown' : 'rejected', error } : works(connection, effect),
  );
  await at.visit('Leaf/shop/leaf');
  ask(at, 't1');
  await at.visit('Leaf/shop/leaf');
  expect(memory(at)?.pending?.op).toBe(pending);
  expect(memory(at)?.handledRequests).toEqual({});
});

test('who may not use the other connection is not held up by it, and nothing goes through it', async () => {
  const at = await chain();
  at.source.entries.delete('Conn/second');
  ask(at, 't1');
  await at.visit('Leaf/shop/leaf');
  ask(at, 't2');
  expect((await at.visit('Leaf/shop/leaf'))?.ending.is).toBe('rest');
  expect(at.source.log.filter((line) => line.startsWith('second'))).toEqual([]);
  expect(at.source.memoryOutputs.placed.get('shop/login')?.output.revision).toBe('t2');
});

test('deleted: its output goes with it, and before it is forgotten', async () => {
  const at = await chain();
  await at.visit('Leaf/shop/leaf');
  at.source.declare({ key: leaf, spec: {}, deleting: true });
  at.source.log.length = 0;
  await at.visit('Leaf/shop/leaf');
  expect(at.source.log).toEqual([
    'status delete Delete',
    'first: delete',
    'withdraw login',
    'release Leaf/shop/leaf, removed',
  ]);
});

test('what puts an output out of date is not done, noted or tried again at once while the output can not be written', async () => {
  const at = await chain();
  await at.visit('Leaf/shop/leaf');
  at.source.log.length = 0;
  at.source.memoryOutputs.full = true;
  ask(at, 't1');
  const visit = await at.visit('Leaf/shop/leaf');
  expect(at.source.log).toEqual(['status rest']);
  expect(memory(at)).toMatchObject({ handledRequests: {} });
  expect(memory(at)).not.toHaveProperty('pending');
  expect(conditionOf(memory(at)?.conditions ?? [], 'Ready')).toMatchObject({
    status: 'False',
    reason: 'OutputUnusable',
    message: 'login: no space left on device',
  });
  expect(visit?.requeueMs).toBeGreaterThan(0);
  at.source.memoryOutputs.full = false;
  await at.visit('Leaf/shop/leaf');
  expect(at.source.memoryOutputs.placed.get('shop/login')?.output.revision).toBe('t1');
});

test('Ready is not True from before such a step until its output is written, whatever is lost in between', async () => {
  const at = await chain();
  await at.visit('Leaf/shop/leaf');
  expect(ready(at)).toBe('True');
  ask(at, 't1');
  const killed = at.restarted((connection, effect) =>
    effect === 'turn t1' ? 'die' : works(connection, effect),
  );
  for (const key of ['Conn/first', 'Conn/second', 'Part/shop/part']) await killed.visit(key);
  await expect(killed.visit('Leaf/shop/leaf')).rejects.toThrow(Died);
  expect(ready(killed)).toBe('False');
  const next = killed.restarted(works);
  for (const key of ['Conn/first', 'Conn/second', 'Part/shop/part', 'Leaf/shop/leaf']) await next.visit(key);
  expect(ready(next)).toBe('True');
});

test('an output that can not be taken away is no bug: it is said, and the object stays known until it is gone', async () => {
  const at = await chain();
  ask(at, 't1');
  await at.visit('Leaf/shop/leaf');
  at.source.declare({ key: leaf, spec: {}, deleting: true });
  at.source.memoryOutputs.full = true;
  const visit = await at.visit('Leaf/shop/leaf');
  expect(visit?.ending).toMatchObject({ is: 'failed', error: { reason: 'OutputUnusable' } });
  expect(visit?.requeueMs).toBeGreaterThan(0);
  expect(memory(at)).toBeDefined();
  at.source.memoryOutputs.full = false;
  expect((await at.visit('Leaf/shop/leaf'))?.ending.is).toBe('gone');
  expect(at.source.log.slice(-2)).toEqual(['withdraw login', 'release Leaf/shop/leaf, removed']);
});

test('orphaned by a person, it leaves at once and nothing outside is touched, whatever hinders its deletion', async () => {
  const at = await chain();
  await at.visit('Leaf/shop/leaf');
  at.source.entries.delete('Conn/first');
  at.source.declare({ key: leaf, spec: {}, deleting: true, requests: { 'force-orphan': 'cluster is gone' } });
  at.source.log.length = 0;
  const visit = await at.visit('Leaf/shop/leaf');
  expect(visit?.ending).toEqual({ is: 'gone', because: 'orphaned: cluster is gone' });
  expect(at.source.log).toEqual(['release Leaf/shop/leaf']);
});

test('another mount of the same backend is another place: nothing is made or deleted there', async () => {
  const at = await chain();
  await at.visit('Leaf/shop/leaf');
  const entry = at.source.read('Leaf/shop/leaf');
  if (!entry) throw new Error('it was declared');
  const externalRef = { backend: 'first', mount: 'elsewhere', name: 'leaf' };
  at.source.entries.set('Leaf/shop/leaf', { ...entry, status: { ...entry.status, externalRef } });
  at.source.log.length = 0;
  await at.visit('Leaf/shop/leaf');
  expect(conditionOf(memory(at)?.conditions ?? [], 'Stalled')?.reason).toBe('BackendChanged');
  expect(at.source.log).toEqual(['status rest']);
});
