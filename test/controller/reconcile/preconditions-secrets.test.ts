// A Secret that was not read yet is not one that is gone: who deletes may have to send it along.
import { expect, test } from 'vitest';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { World } from '../bench.ts';
import { conn, connKey, quiet, works } from '../chain.ts';

const name = 'Sealed/shop/x';
const key = { kind: 'Sealed', namespace: 'shop', name: 'x' };

const sealed = defineKind<unknown, null, string, string, string>({
  ...quiet,
  name: 'Sealed',
  connectionField: '/conn',
  references: () => [
    { to: 'object', field: '/conn', target: connKey('first'), holds: true },
    { to: 'secret', field: '/secret', target: { ...key, kind: 'Secret' }, entry: 'token' },
    { to: 'object', field: '/beside', target: { ...key, name: 'y' }, holds: false },
  ],
  locate: (_, { name: id }, { backend }) => ({ backend, id }),
  observe: () => Promise.resolve({ state: 'absent' }),
  plan: () => ({ verdict: 'gone', because: 'it was deleted', removed: true }),
  record: () => undefined,
  outputs: () => ({}),
});

test.for([
  { why: 'waits for one that was not read yet', knowsSecrets: false, ending: 'blocked' },
  { why: 'goes on without one that is gone', knowsSecrets: true, ending: 'gone' },
])('a deletion $why', async ({ knowsSecrets, ending }) => {
  const at = new World([conn, sealed], works);
  at.source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  const externalRef = { backend: 'first', id: 'x' };
  at.source.declare({ key: { ...key, name: 'y' }, spec: {} }); // it is not ready, and nobody waits for that
  at.source.declare({ key, spec: {}, deleting: true, held: true });
  const entry = at.source.read(name);
  if (entry) at.source.entries.set(name, { ...entry, status: { ...entry.status, externalRef } });
  at.source.knowsSecrets = knowsSecrets;
  const visit = await at.visit(name);
  expect(visit?.ending.is).toBe(ending);
  if (visit?.ending.is === 'blocked')
    expect(visit.ending.plan).toMatchObject({
      reason: 'DeletionBlocked',
      message: '/secret: Secret shop/x has not been read yet',
    });
});
