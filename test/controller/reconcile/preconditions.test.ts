// What an object stands on, or how its visit ends without it. A wrong answer lets something go that others need, has it sent
// to who may not be asked, or leaves a person without a reason.
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { describe, expect, test } from 'vitest';
import { observationInputOf, preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import { readSecrets, type Secrets } from '../../../src/controller/reconcile/resolve.ts';
import type { Published } from '../../../src/core/source/output.ts';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { blocked, stalled } from '../../../src/core/planning/plan.ts';
import { keyText, refText, type Key, type DeclaredObject } from '../../../src/core/resource.ts';
import { connectionNamed, World } from '../bench.ts';
import { chain, conn, connKey, leaf, part, quiet, works } from '../chain.ts';
import { disk, disks } from '../disks.ts';
import type { Reason } from '../../../src/core/status/reasons.ts';

const plain = {
  ...quiet,
  references: () => [],
  locate: (_: unknown, { name }: Key, { backend }: { readonly backend: string }) => ({ backend, name }),
  observe: () => Promise.resolve({ state: 'absent' } as const),
  plan: () => ({ verdict: 'in-sync', drift: [] }) as const,
  record: () => undefined,
  outputs: () => ({}),
};

const secret: Key = { kind: 'Secret', namespace: '', name: 'token' };

/** A connection that needs a Secret. */
const locked = defineKind<unknown, null, string, string, string>({
  ...plain,
  name: 'Locked',
  references: () => [{ to: 'secret', field: '/token', target: secret, entry: 'token' }],
  locate: (_, key) => ({ backend: key.name }),
  connect: (_, __, key) => connectionNamed(key.name),
});

/** Needs another object besides its connection. */
const pair = defineKind<unknown, null, string, string, string>({
  ...plain,
  name: 'Pair',
  connectionField: '/conn',
  references: () => [
    { to: 'object', field: '/conn', target: connKey('first'), holds: true },
    { to: 'object', field: '/beside', target: part, holds: true },
  ],
});
const keyOf = (kind: string): Key => ({ kind, namespace: 'shop', name: 'x' });

type Change = Partial<DeclaredObject> & { readonly status?: Status };
const met = (at: World, key: string, { status, ...change }: Change = {}, secrets: Secrets = new Map()) => {
  const entry = at.source.read(key);
  if (!entry) throw new Error(`${key} was not declared`);
  const visited = { key, object: { ...entry.object, ...change }, status: status ?? entry.status, secrets };
  return preconditionsOf(visited, at.ports);
};
const stopped = (reason: Reason, message: string) => ({
  is: 'blocked',
  plan: blocked(reason, message, { on: 'object' }),
});
const stuck = (reason: Reason, message: string) => ({
  is: 'blocked',
  plan: stalled(reason, message, { on: 'object' }),
});
const gone = (because: string) => ({ verdict: 'gone', because, removed: false });
const leaving = { deleting: true, held: true };
const first = 'Conn/first';
const leafName = keyText(leaf);
const partName = keyText(part);

describe('who leaves, in reverse order', () => {
  test('a connection goes when nothing uses it any more', async () => {
    const at = await chain();
    expect(met(at, 'Conn/second', leaving)).toEqual(gone('nothing uses it any more'));
  });

  test('while others need it, it works, and says how many they are', async () => {
    const at = await chain();
    at.source.declare({ key: { ...part, name: 'second' }, spec: {} });
    await at.visit(partName);
    expect(met(at, first, leaving)).toMatchObject({
      connection: first,
      inUse: { ...stopped('DeletionBlocked', `still used by ${partName} and 1 more`), usable: true },
    });
  });

  test('what others are reached through stays until they are gone', async () => {
    const at = await chain();
    const still = stopped('DeletionBlocked', `still used by ${leafName}`);
    expect(met(at, partName, leaving)).toEqual({ ...still, usable: true });
  });

  test('who never had anything outside asks for nothing, not even for a connection', async () => {
    const at = await chain();
    at.source.entries.delete(partName);
    expect(met(at, leafName, { deleting: true })).toEqual(gone('nothing of it was outside'));
  });

  test('who is to be kept goes once the limits let it, which have to be known', async () => {
    const kept = { deletion: 'Retain' };
    for (const perHour of [100, 0]) {
      const scene = await disks([], { perHour, percent: 100 });
      scene.declare('a', { policy: kept }, leaving);
      await scene.at.visit('Conn/c');
      scene.at.ports.connections.setHealth('Conn/c', false, 'no leader'); // nothing is sent
      const unknown = new World([], works);
      const found = met(scene.at, disk('a'));
      if (perHour === 100) expect(found).toEqual(gone('kept as it is'));
      else expect(found).toMatchObject({ is: 'blocked', plan: { reason: 'DeletionLimitExceeded' } });
      const object = scene.at.source.read(disk('a'))?.object;
      const ports = { ...scene.at.ports, connections: unknown.ports.connections };
      expect(
        object && preconditionsOf({ key: disk('a'), object, status: noStatus, secrets: new Map() }, ports),
      ).toEqual({
        is: 'parked',
        message: 'Conn/c has not been looked at yet',
        early: true,
      });
    }
  });
});

describe('what is not there, or not usable', () => {
  test.for([
    { why: 'declared', change: {}, reason: 'DependencyNotReady' },
    { why: 'leaving', change: leaving, reason: 'DeletionBlocked' },
  ] as const)('an object on the way that is missing is named ($why)', async ({ change, reason }) => {
    const at = await chain();
    at.source.entries.delete(partName);
    expect(met(at, leafName, change)).toEqual(stopped(reason, `/part: ${partName} does not exist`));
  });

  test('a connection that gives no access says to whom', async () => {
    const at = await chain();
    at.ports.connections.open(first, connectionNamed('first', { access: [] }));
    at.ports.connections.setHealth(first, true, '');
    expect(met(at, partName)).toEqual(
      stuck('AccessDenied', '/conn: Conn/first gives no access to Part part from namespace shop'),
    );
  });

  test('a connection that does not work, and one that nobody has looked at, are not the same', async () => {
    const at = await chain();
    at.ports.connections.setHealth(first, false, 'no leader');
    const message = '/conn: Conn/first: no leader';
    expect(met(at, partName)).toEqual({ is: 'parked', message, early: false });
    await at.ports.connections.close(first);
    const unknown = '/conn: Conn/first has not been looked at yet';
    expect(met(at, partName)).toEqual({ is: 'parked', message: unknown, early: true });
  });

  test('a reference beside the way is needed, too, but not to leave', async () => {
    const at = new World([conn, pair], works);
    at.source.declare({ key: connKey('first'), spec: {} });
    at.source.declare({ key: keyOf('Pair'), spec: {} });
    await at.visit(first);
    expect(met(at, 'Pair/shop/x')).toEqual(
      stopped('DependencyNotReady', `/beside: ${partName} does not exist`),
    );
    expect(met(at, 'Pair/shop/x', leaving)).toMatchObject({ connection: first });
  });

  test.for([
    { why: 'declared', change: {}, reason: 'DependencyNotReady' },
    { why: 'leaving, but in use', change: leaving, reason: 'DeletionBlocked' },
  ] as const)('a connection without its Secret is not tried: $why', async ({ change, reason }) => {
    const at = new World([locked], works);
    at.source.declare({ key: { ...keyOf('Locked'), namespace: '' }, spec: {} });
    at.ports.graph.set('User/shop/u', {
      uid: 'u',
      generation: 1,
      deleting: false,
      connection: undefined,
      references: [{ to: 'object', field: '/x', target: { ...keyOf('Locked'), namespace: '' }, holds: true }],
    });
    expect(met(at, 'Locked/x', change)).toEqual(stopped(reason, '/token: the Secret has not been read yet'));
    const { object } = at.source.open('Locked/x') ?? {};
    const missing = object && (await readSecrets(object, at.ports));
    expect(met(at, 'Locked/x', change, missing)).toEqual(
      stopped(reason, '/token: Secret /token does not exist, or has no entry token'),
    );
    at.source.knowsSecrets = false;
    const pending = object && (await readSecrets(object, at.ports));
    expect(met(at, 'Locked/x', change, pending)).toEqual(
      stopped(reason, '/token: Secret /token has not been read yet'),
    );
  });
});

test('what can only be a mistake of a kind is told as one', () => {
  const odd = defineKind<unknown, null, string, string, string>({ ...plain, name: 'Odd' });
  const lost = defineKind<unknown, null, string, string, string>({
    ...plain,
    name: 'Lost',
    connectionField: '/nowhere',
  });
  const at = new World([odd, lost], works);
  for (const kind of ['Odd', 'Lost', 'Unknown']) at.source.declare({ key: keyOf(kind), spec: {} });
  expect(() => met(at, 'Odd/shop/x')).toThrow('Odd has no connection');
  expect(() => met(at, 'Lost/shop/x')).toThrow('/nowhere is not declared');
  expect(() => met(at, 'Unknown/shop/x')).toThrow('no kind Unknown');
});

describe('what it declares is known though it can’t be used now', () => {
  const located = refText({ type: 'scheduler/thing', backend: 'first', mount: 'm', name: 'leaf' });
  const elsewhere = { ...noStatus, externalRef: { backend: 'first', mount: 'elsewhere', name: 'leaf' } };

  test.for<{ why: string; change: Change; declared: string | undefined }>([
    { why: 'its connection does not work', change: { status: noStatus }, declared: located },
    { why: 'but not by who leaves', change: { status: noStatus, ...leaving }, declared: undefined },
    { why: 'nor by who has another on record', change: { status: elsewhere }, declared: undefined },
  ])('$why', async ({ change, declared }) => {
    const at = await chain();
    at.ports.connections.setHealth(first, false, 'no leader');
    expect(met(at, leafName, change)).toMatchObject({ is: 'parked' });
    expect(at.ports.owners.declaredBy(leafName)).toBe(declared);
  });

  test('the object in between is not ready: what it says counts all the same', async () => {
    const at = await chain();
    const entry = at.source.read(partName);
    if (entry) at.source.entries.set(partName, { ...entry, status: { ...entry.status, conditions: [] } });
    expect(met(at, leafName)).toEqual(stopped('DependencyNotReady', `/part: ${partName} is not ready`));
    expect(at.ports.owners.declaredBy(leafName)).toBe(located);
  });

  test('where nobody has looked at the connection, nobody can tell', async () => {
    const at = await chain();
    await at.ports.connections.close(first);
    expect(met(at, leafName)).toMatchObject({ is: 'parked', early: true });
    expect(at.ports.owners.declaredBy(leafName)).toBeUndefined();
  });
});

/** Declares what the first has. */
async function second(change: Partial<DeclaredObject> = {}) {
  const scene = await disks(['old']);
  scene.declare('new', { named: 'old' }, change);
  await scene.at.visit('Conn/c');
  return scene;
}

describe('two declarations of one external object', () => {
  const belongs = `its external object belongs to ${disk('old')}`;

  test('the second waits, and is woken by the first', async () => {
    const { at } = await second();
    expect(met(at, disk('new'))).toEqual(stuck('ExternalNameConflict', belongs));
  });

  test('the second leaves without it', async () => {
    const { at } = await second(leaving);
    expect(met(at, disk('new'))).toEqual(gone(belongs));
  });

  test('it takes over only once all others that may have been looked at', async () => {
    const { at, leave } = await second();
    leave('old');
    await at.visit('Conn/c');
    at.settled = () => false;
    const wait = `it takes over from ${disk('old')} once nothing is under way for that one, and all others have been looked at`;
    expect(met(at, disk('new'))).toEqual(stopped('MoveInProgress', wait));
    at.settled = () => true;
    expect(met(at, disk('new'))).toMatchObject({ inherits: { from: disk('old') } });
  });

  test('who has it on record as well takes nothing over: what it knows would be lost', async () => {
    const { at, leave } = await second();
    leave('old');
    await at.visit('Conn/c');
    const status = { ...noStatus, externalRef: { backend: 'c', id: 'old' } };
    expect(met(at, disk('new'), { status })).toEqual(stuck('ExternalNameConflict', belongs));
  });

  test('who has it on record goes before who came first and only declares it', async () => {
    const { at } = await disks([]);
    at.source.declare({ key: { kind: 'Disk', namespace: 'shop', name: 'a' }, spec: { type: 'ssd' } });
    at.ports.owners.claim({ type: 'scheduler/disk', backend: 'c', id: 'a' }, disk('first'), false);
    const status = { ...noStatus, externalRef: { backend: 'c', id: 'a' } };
    expect(met(at, disk('a'), { status })).toMatchObject({ connection: 'Conn/c' });
  });
});

test('it is observed through what may be used, and with what stands where its output goes, where that is known', async () => {
  const at = await chain();
  const inputOf = (key: string, published?: Published) => {
    const found = met(at, key);
    const entry = at.source.read(key);
    if (!('opened' in found) || !entry) throw new Error('it can be used');
    return { found, input: observationInputOf(entry.object, entry.status, found, published, 'n') };
  };
  const { found, input } = inputOf(leafName);
  expect([...found.others.keys()]).toEqual(['/second']); // its own connection is none of them
  expect([input.read, input.via?.('/second'), input.via?.('/none')]).toEqual(['first', 'second', undefined]);
  expect(input).not.toHaveProperty('published');
  expect(inputOf(leafName, { is: 'absent' }).input.published).toEqual({ is: 'absent' });
  at.source.entries.delete('Conn/second');
  expect([...inputOf(leafName).found.others.keys()]).toEqual([]);
  expect([...inputOf(partName).found.others.keys()]).toEqual([]);
});
