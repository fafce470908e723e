// Two namespaces that declare one external object. The wrong owner shuts a tenant out, or tells it whom else there is.
import { expect, test } from 'vitest';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import { stalled } from '../../../src/core/planning/plan.ts';
import { keyText, type Key } from '../../../src/core/resource.ts';
import { connectionNamed, type World } from '../bench.ts';
import { chain, part } from '../chain.ts';

const first = 'Conn/first';
const met = (at: World, named: Key) => {
  const key = keyText(named);
  const entry = at.source.read(key);
  if (!entry) throw new Error(`${key} was not declared`);
  return preconditionsOf({ key, ...entry, secrets: new Map() }, at.ports);
};

test.for([
  { why: 'who may not use it keeps the name from nobody who may', namespaces: ['shop'], first: undefined },
  { why: 'who comes first has it, and is not named to another namespace', namespaces: ['*'], first: 'it' },
])('of two tenants that declare one external object, $why', async ({ namespaces, first: it }) => {
  const at = await chain();
  at.source.entries.delete(keyText(part));
  at.ports.owners.drop(keyText(part));
  at.ports.connections.open(first, connectionNamed('first', { access: [{ namespaces }] }));
  at.ports.connections.setHealth(first, true, '');
  const other = { ...part, namespace: 'blog' };
  at.source.declare({ key: other, spec: {} });
  at.source.declare({ key: part, spec: {} });
  met(at, other);
  const belongs = 'its external object belongs to an object of another namespace';
  expect(met(at, part)).toMatchObject(
    it
      ? { is: 'blocked', plan: stalled('ExternalNameConflict', belongs, { on: 'object' }) }
      : { connection: first },
  );
});
