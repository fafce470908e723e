// A Secret that was not read yet is not one that is gone: who deletes may have to send it along.
import { expect, test } from 'vitest';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import type { DeclaredObject } from '../../../src/core/resource.ts';
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
  unneeded: ({ own }, requests) => (own === 'knows it' && requests['again'] === undefined ? ['/secret'] : []),
  outputs: () => ({}),
});

async function visited(
  object: Pick<DeclaredObject, 'deleting' | 'requests'>,
  own?: string,
  knowsSecrets = true,
) {
  const at = new World([conn, sealed], works);
  at.source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  const externalRef = { backend: 'first', id: 'x' };
  at.source.declare({ key: { ...key, name: 'y' }, spec: {} }); // it is not ready, and nobody waits for that
  at.source.declare({ key, spec: {}, held: true, ...object });
  const entry = at.source.read(name);
  if (entry) {
    const status = { ...entry.status, externalRef, ...(own !== undefined && { own }) };
    at.source.entries.set(name, { ...entry, status });
  }
  at.source.knowsSecrets = knowsSecrets;
  return (await at.visit(name))?.ending;
}

test.for([
  { why: 'waits for one that was not read yet', knowsSecrets: false, ending: 'blocked' },
  { why: 'goes on without one that is gone', knowsSecrets: true, ending: 'gone' },
])('a deletion $why', async ({ knowsSecrets, ending: is }) => {
  const ending = await visited({ deleting: true, requests: {} }, undefined, knowsSecrets);
  expect(ending).toMatchObject({ is });
  if (ending?.is === 'blocked')
    expect(ending.plan).toMatchObject({
      reason: 'DeletionBlocked',
      message: '/secret: Secret shop/x has not been read yet',
    });
});

const missing = '/secret: Secret shop/x does not exist, or has no entry token';

test.for<{ why: string; own?: string; requests: DeclaredObject['requests']; ends: string }>([
  { why: 'ends without one that is gone', requests: {}, ends: missing },
  {
    why: 'goes on without one that its kind does not need now',
    own: 'knows it',
    requests: {},
    ends: '/beside',
  },
  { why: 'ends without one that a request needs', own: 'knows it', requests: { again: 't' }, ends: missing },
])('a visit $why', async ({ own, requests, ends }) => {
  const ending = await visited({ deleting: false, requests }, own);
  expect(ending).toMatchObject({ plan: { message: expect.stringContaining(ends) } });
});
