// Who leaves and is kept as it is goes without a look, unless something of it is still to be undone. Who is destroyed first
// asks the limits. Who is only observed has nothing of its own outside, and stays for those that use it.
import { expect, test } from 'vitest';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import type { SealedKind } from '../../../src/core/kind/sealed-kind.ts';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { gone } from '../../../src/core/planning/plan.ts';
import { World } from '../bench.ts';
import { conn, connKey, onFirst, quiet, works } from '../chain.ts';
import { disk, disks } from '../disks.ts';

const leaving = { deleting: true, held: true };

/** A disk that leaves, of a kind that differs like that. */
async function met(
  deletion: 'Retain' | 'Delete',
  perHour: number,
  kind: Partial<SealedKind<string, string>>,
) {
  const { at, declare } = await disks([], { perHour, percent: 100 });
  declare('a', { policy: { deletion } }, leaving);
  await at.visit('Conn/c');
  const [entry, own] = [at.source.read(disk('a')), at.ports.kinds.get('Disk')];
  if (!entry || !own) throw new Error('the disk was declared');
  const ports = { ...at.ports, kinds: new Map(at.ports.kinds).set('Disk', { ...own, ...kind }) };
  return preconditionsOf({ key: disk('a'), ...entry, secrets: new Map() }, ports);
}

const thrown = { key: { kind: 'Disk', namespace: 'shop', name: 'trial' }, uid: 'u' };

test.for<{ why: string; kind: Partial<SealedKind<string, string>>; looked: boolean }>([
  { why: 'with nothing under way goes', kind: {}, looked: false },
  { why: 'that has objects to throw away is looked at', kind: { throwaways: () => [thrown] }, looked: true },
  { why: 'that is half removed is looked at', kind: { isHalfRemoved: () => true }, looked: true },
])('who leaves and is kept, $why', async ({ kind, looked }) => {
  const found = await met('Retain', 100, kind);
  if (looked) expect(found).toMatchObject({ connection: 'Conn/c' });
  else expect(found).toEqual(gone('kept as it is'));
});

test('who is destroyed asks the limits before anybody looks at it', async () => {
  expect(await met('Delete', 0, {})).toMatchObject({
    is: 'blocked',
    plan: { reason: 'DeletionLimitExceeded' },
  });
  expect(await met('Delete', 100, {})).toMatchObject({ connection: 'Conn/c' });
});

/** Is only observed if its spec says so. */
const base = defineKind<unknown, null, string, string, string>({
  ...quiet,
  ...onFirst,
  name: 'Base',
  policy: (spec) => (spec === 'observed' ? { management: 'ObserveOnly' } : {}),
  observe: () => Promise.resolve({ state: 'absent' }),
  plan: () => ({ verdict: 'in-sync', drift: [] }),
  record: () => undefined,
  outputs: () => ({}),
});

test.for<{ why: string; spec: string; used: boolean; stays: boolean }>([
  { why: 'is only observed and used stays, for it may be there', spec: 'observed', used: true, stays: true },
  { why: 'is only observed and not used goes', spec: 'observed', used: false, stays: false },
  { why: 'was never made goes, used or not', spec: '', used: true, stays: false },
])('who is not held and $why', ({ spec, used, stays }) => {
  const at = new World([conn, base], works);
  const key = { kind: 'Base', namespace: 'shop', name: 'x' };
  at.source.declare({ key, spec, deleting: true });
  const references = used ? [{ to: 'object', field: '/base', target: key, holds: true } as const] : [];
  at.ports.graph.set('User/shop/u', {
    uid: 'u',
    generation: 1,
    deleting: true,
    connection: undefined,
    references,
  });
  const entry = at.source.read('Base/shop/x');
  if (!entry) throw new Error('it was declared');
  const found = preconditionsOf({ key: 'Base/shop/x', ...entry, secrets: new Map() }, at.ports);
  if (stays) expect(found).toMatchObject({ is: 'blocked', plan: { message: 'still used by User/shop/u' } });
  else expect(found).toEqual(gone('nothing of it was outside'));
});

/** Refers to its own connection once more, and to another. */
const twice = defineKind<unknown, null, string, string, string>({
  ...quiet,
  ...onFirst,
  name: 'Twice',
  references: () => [
    { to: 'object', field: '/beside', target: connKey('second'), holds: false, optional: true },
    { to: 'object', field: '/conn', target: connKey('first'), holds: true },
    { to: 'object', field: '/again', target: connKey('first'), holds: false, optional: true },
  ],
  observe: () => Promise.resolve({ state: 'absent' }),
  plan: () => ({ verdict: 'in-sync', drift: [] }),
  record: () => undefined,
  outputs: () => ({}),
});

test('a suspended connection beside its own is passed over, and its own is not', async () => {
  const at = new World([conn, twice], works);
  const key = { kind: 'Twice', namespace: 'shop', name: 'x' };
  for (const name of ['first', 'second']) {
    at.source.declare({ key: connKey(name), spec: {} });
    await at.visit(`Conn/${name}`);
    at.source.declare({ key: connKey(name), spec: {}, requests: { suspend: 'true' } });
  }
  at.source.declare({ key, spec: {} });
  const entry = at.source.read('Twice/shop/x');
  if (!entry) throw new Error('it was declared');
  const found = preconditionsOf({ key: 'Twice/shop/x', ...entry, secrets: new Map() }, at.ports);
  if (!('resolved' in found)) throw new Error('it is looked at');
  expect(found.resolved.get('/beside')).toEqual({ state: 'waiting', message: 'Conn/second is suspended' });
  expect(found.resolved.get('/again')?.state).toBe('ready');
});
