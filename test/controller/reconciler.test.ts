// One visit with everything a kind may ask of it: a connection reached through another object, effects through a second
// connection, outputs, requests, intents. Each is where an operator loses data or acts twice when it goes wrong.
import { expect, test } from 'vitest';
import { defineKind } from '../../src/core/kind.ts';
import { managed } from '../../src/core/managed.ts';
import { conditionOf } from '../../src/core/condition.ts';
import { ApiError, type Outcome } from '../../src/core/errors.ts';
import type { Plan, Step } from '../../src/core/plan.ts';
import type { Key, Reference } from '../../src/core/resource.ts';
import { connectionNamed, Died, policy, World, type Perform } from './bench.ts';

const object = (field: string, target: Key, more: object = {}): Reference => ({
  to: 'object',
  field,
  target,
  holds: true,
  ...more,
});
const connKey = (name: string): Key => ({ kind: 'Conn', namespace: '', name });
const part: Key = { kind: 'Part', namespace: 'shop', name: 'part' };
const leaf: Key = { kind: 'Leaf', namespace: 'shop', name: 'leaf' };

/** What exists outside: `<connection>/<name>`. */
let outside = new Set<string>();

const quiet = {
  parse: (spec: unknown) => spec,
  parseOwn: (own: unknown) => (typeof own === 'string' ? own : undefined),
  policy: () => ({}),
  defaults: policy,
  externalName: (_: unknown, key: Key) => key.name,
  report: () => ({ observed: {}, conditions: [] }),
};

const conn = defineKind<unknown, null, string, string, string>({
  ...quiet,
  name: 'Conn',
  references: () => [],
  locate: (_, key) => ({ backend: key.name }),
  observe: () => Promise.resolve({ state: 'present', live: null }),
  plan: () => ({ verdict: 'in-sync', drift: [] }),
  record: () => undefined,
  outputs: () => ({ of: 'connection', from: 'connection' }),
  connect: (_, __, key) =>
    connectionNamed(key.name, key.name === 'second' ? { access: [{ actions: ['Signal'] }] } : {}),
});

const lifecycleOf = (act?: (s: { resolved: unknown }) => Plan<string>) => ({
  fields: {},
  want: () => ({}),
  have: () => ({}),
  isOurs: (s: { readonly held: boolean }) => s.held,
  inUse: () => undefined,
  create: () => ({ summary: 'make it', effect: 'make' }),
  revive: () => ({ summary: 'make it again', effect: 'make' }),
  update: () => ({ summary: 'write', effect: 'write' }),
  remove: () => ({ summary: 'delete it', effect: 'delete' }),
  ...(act && { act }),
});

const partKind = defineKind<unknown, null, string, string, string>({
  ...quiet,
  name: 'Part',
  connectionField: '/conn',
  references: () => [object('/conn', connKey('first'))],
  locate: (_, __, { backend }) => ({ backend, mount: 'm' }),
  observe: (read) => Promise.resolve(seen(`${read}/part`)),
  plan: managed(lifecycleOf()),
  record: () => 'part',
  outputs: () => ({ mount: 'm', from: 'part' }),
});

const seen = (name: string) =>
  outside.has(name) ? ({ state: 'present', live: null } as const) : ({ state: 'absent' } as const);

const act = (step: Partial<Step<string>>): Plan<string> => ({
  verdict: 'change',
  steps: [{ verb: 'act', summary: 'act', changes: [], ...step }],
});

/** Asked to turn: turns once, publishes the turn, tells the second connection. */
const leafKind = defineKind<unknown, null, string, string, string>({
  ...quiet,
  name: 'Leaf',
  connectionField: '/part',
  output: () => 'login',
  references: () => [
    object('/part', part),
    object('/second', connKey('second'), {
      holds: false,
      optional: true,
      use: { externalName: 'job', action: 'Signal' },
    }),
  ],
  locate: (_, key, { backend }, resolved) => {
    const found = resolved.get('/part');
    return { backend, mount: found?.state === 'ready' ? (found.outputs['mount'] ?? '') : '', name: key.name };
  },
  observe: (read) => Promise.resolve(seen(`${read}/leaf`)),
  plan: (s) =>
    managed<unknown, null, string, never, string>({
      ...lifecycleOf(),
      act(_, __, ___, rest) {
        const token = s.requests['turn'];
        const { own, pending } = s.memory;
        if (token !== undefined && s.memory.handled['turn'] !== token) {
          if (pending?.op === 'turn' && outside.has(`turned ${token}`))
            return act({ own: token, handled: { turn: token } });
          return act({
            effect: `turn ${token}`,
            intent: { op: 'turn', token, evidence: { before: 'x' } },
            own: token,
            handled: { turn: token },
          });
        }
        if (own !== undefined && !(s.published?.is === 'ours' && s.published.revision === own))
          return act({ own, publish: { name: 'login', revision: own, entries: { turn: [own] } } });
        if (own !== undefined && !outside.has(`told ${own}`) && s.resolved.get('/second')?.state === 'ready')
          return act({ own, via: '/second', effect: `tell ${own}` });
        return rest;
      },
    })(s),
  record: (s) => s.memory.own,
  report: ({ resolved }) => {
    const through = resolved.get('/part');
    return { observed: through?.state === 'ready' ? { ...through.outputs } : {}, conditions: [] };
  },
  outputs: () => ({}),
});

const done: Outcome = { is: 'done' };
const works: Perform = (connection, effect) => {
  const [what = '', more = ''] = effect.split(' ');
  if (what === 'make') outside.add(`${connection}/${outside.has('first/part') ? 'leaf' : 'part'}`);
  if (what === 'delete') outside.delete(`${connection}/leaf`);
  if (what === 'turn') outside.add(`turned ${more}`);
  if (what === 'tell') outside.add(`told ${more}`);
  return done;
};

async function world(perform: Perform = works, requests: Readonly<Record<string, string>> = {}) {
  outside = new Set();
  const made = new World([conn, partKind, leafKind], perform);
  for (const key of [connKey('first'), connKey('second'), part]) made.source.declare({ key, spec: {} });
  made.source.declare({ key: leaf, spec: {}, requests });
  for (const key of ['Conn/first', 'Conn/second', 'Part/shop/part']) await made.visit(key);
  return made;
}

const ask = (at: World, token: string) =>
  at.source.declare({ key: leaf, spec: {}, requests: { turn: token } });
const memory = (at: World) => at.source.read('Leaf/shop/leaf')?.memory;

test('an object is reached through another one, whose word counts over the connection’s', async () => {
  const at = await world();
  const visit = await at.visit('Leaf/shop/leaf');
  expect(visit?.ending.is).toBe('rest');
  expect(memory(at)?.externalRef).toEqual({ backend: 'first', mount: 'm', name: 'leaf' });
  expect(memory(at)?.observed).toEqual({ of: 'connection', mount: 'm', from: 'part' });
});

test('nothing is sent for it while that other object is not ready, and it says what it waits for', async () => {
  const at = await world();
  const entry = at.source.read('Part/shop/part');
  if (!entry) throw new Error('it was declared');
  at.source.entries.set('Part/shop/part', { ...entry, memory: { ...entry.memory, conditions: [] } });
  at.source.log.length = 0;
  await at.visit('Leaf/shop/leaf');
  expect(conditionOf(memory(at)?.conditions ?? [], 'Ready')).toMatchObject({
    reason: 'DependencyNotReady',
    message: '/part: Part/shop/part is not ready',
  });
  expect(at.source.log).toEqual(['remember rest']);
});

test('an object in between that is not declared is named', async () => {
  const at = await world();
  at.source.entries.delete('Part/shop/part');
  await at.visit('Leaf/shop/leaf');
  expect(conditionOf(memory(at)?.conditions ?? [], 'Ready')?.message).toBe(
    '/part: Part/shop/part does not exist',
  );
});

test('requests that are there at first sight were not asked of this object', async () => {
  const at = await world(works, { turn: 'old' });
  await at.visit('Leaf/shop/leaf');
  expect(at.source.log.filter((line) => line.includes('turn'))).toEqual([]);
  expect(memory(at)?.handled).toEqual({ turn: 'old' });
});

test('a request: the intent is kept first, then it is done, published, told through the other connection, once', async () => {
  const at = await world();
  await at.visit('Leaf/shop/leaf');
  at.source.log.length = 0;
  ask(at, 't1');
  await at.visit('Leaf/shop/leaf');
  await at.visit('Leaf/shop/leaf');
  expect(at.source.log).toEqual([
    'remember turn t1',
    'first: turn t1',
    'publish login t1',
    'second: tell t1',
    'remember rest',
  ]);
  expect(memory(at)).toMatchObject({ handled: { turn: 't1' }, own: 't1' });
  expect(memory(at)?.pending).toBeUndefined();
});

test.for(['before', 'after'] as const)('killed %s the effect: it happens once', async (when) => {
  const dies: Perform = (connection, effect) => {
    if (!effect.startsWith('turn')) return works(connection, effect);
    if (when === 'after') works(connection, effect);
    return 'die';
  };
  const at = await world(dies);
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
  expect(memory(next)).toMatchObject({ handled: { turn: 't1' }, own: 't1' });
  expect(next.source.outputs.get('login')?.revision).toBe('t1');
});

test.for([
  ['refused', false, undefined],
  ['timeout', true, 'turn'],
] as const)('%s: the intent stays only where it may have happened', async ([kind, acted, pending]) => {
  const error = new ApiError(kind, 'NoLuck', 'no luck', { mayHaveHadEffect: acted });
  const at = await world((connection, effect) =>
    effect.startsWith('turn') ? { is: acted ? 'unknown' : 'rejected', error } : works(connection, effect),
  );
  await at.visit('Leaf/shop/leaf');
  ask(at, 't1');
  await at.visit('Leaf/shop/leaf');
  expect(memory(at)?.pending?.op).toBe(pending);
  expect(memory(at)?.handled).toEqual({});
});

test('who may not use the other connection is not held up by it, and nothing goes through it', async () => {
  const at = await world();
  at.source.entries.delete('Conn/second');
  ask(at, 't1');
  await at.visit('Leaf/shop/leaf');
  ask(at, 't2');
  expect((await at.visit('Leaf/shop/leaf'))?.ending.is).toBe('rest');
  expect(at.source.log.filter((line) => line.startsWith('second'))).toEqual([]);
  expect(at.source.outputs.get('login')?.revision).toBe('t2');
});

test('deleted: its output goes with it, and before it is forgotten', async () => {
  const at = await world();
  await at.visit('Leaf/shop/leaf');
  at.source.declare({ key: leaf, spec: {}, deleting: true });
  at.source.log.length = 0;
  await at.visit('Leaf/shop/leaf');
  expect(at.source.log).toEqual([
    'remember delete Delete',
    'first: delete',
    'withdraw login',
    'release Leaf/shop/leaf, removed',
  ]);
});

test('orphaned by a person, it leaves at once and nothing outside is touched, whatever hinders its deletion', async () => {
  const at = await world();
  await at.visit('Leaf/shop/leaf');
  at.source.entries.delete('Conn/first');
  at.source.declare({ key: leaf, spec: {}, deleting: true, requests: { 'force-orphan': 'cluster is gone' } });
  at.source.log.length = 0;
  const visit = await at.visit('Leaf/shop/leaf');
  expect(visit?.ending).toEqual({ is: 'gone', because: 'orphaned: cluster is gone' });
  expect(at.source.log).toEqual(['release Leaf/shop/leaf']);
});

test('another mount of the same backend is another place: nothing is made or deleted there', async () => {
  const at = await world();
  await at.visit('Leaf/shop/leaf');
  const entry = at.source.read('Leaf/shop/leaf');
  if (!entry) throw new Error('it was declared');
  const externalRef = { backend: 'first', mount: 'elsewhere', name: 'leaf' };
  at.source.entries.set('Leaf/shop/leaf', { ...entry, memory: { ...entry.memory, externalRef } });
  at.source.log.length = 0;
  await at.visit('Leaf/shop/leaf');
  expect(conditionOf(memory(at)?.conditions ?? [], 'Stalled')?.reason).toBe('BackendChanged');
  expect(at.source.log).toEqual(['remember rest']);
});
