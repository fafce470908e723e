// Two objects that would take the same beside their external objects, as two roles the password of one entry: who has nothing
// yet waits, and who was made goes on and says so.
import { expect, test } from 'vitest';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { World } from '../bench.ts';
import { conn, connKey, onFirst, quiet, works } from '../chain.ts';

/** Of an entry, which is its spec. */
const role = defineKind<unknown, null, string, string, string>({
  ...quiet,
  ...onFirst,
  name: 'Role',
  parse: String,
  declaredData: (entry) => [{ name: `the entry ${String(entry)}`, ifAllowed: true }],
  places: () => ['one'],
  observe: () => Promise.resolve({ state: 'absent' }),
  plan: () => ({ verdict: 'in-sync', drift: [] }),
  record: () => undefined,
  outputs: () => ({}),
});

/** @param made whether both were made @param entry of the object; that of another one, which comes before it by its name, is x */
async function both(made: boolean, entry = 'x') {
  const at = new World([conn, role], works);
  at.source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  for (const [name, spec] of [
    ['a', 'x'],
    ['b', entry],
  ] as const) {
    const status = made ? { externalRef: { backend: 'first', id: name } } : {};
    at.source.declare({ key: { kind: 'Role', namespace: 'shop', name }, spec });
    const { object } = at.source.read(`Role/shop/${name}`) ?? {};
    if (object) at.source.entries.set(`Role/shop/${name}`, { object, status: { ...noStatus, ...status } });
    await at.visit(`Role/shop/${name}`);
  }
  const found = at.source.read('Role/shop/b');
  if (!found) throw new Error('it was declared');
  return { at, found };
}

async function met(made: boolean, entry?: string) {
  const { at, found } = await both(made, entry);
  return preconditionsOf({ key: 'Role/shop/b', ...found, secrets: new Map() }, at.ports);
}

const conflict = (message: string) => ({ reason: 'AccountConflict', message });

test('who has nothing yet waits, and is told who has it', async () => {
  expect(await met(false)).toMatchObject({
    is: 'blocked',
    plan: conflict('the entry x is that of Role/shop/a: each would end the password of the other'),
  });
});

test('who was made goes on, and says so', async () => {
  const found = await met(true);
  expect(found).toMatchObject({
    connection: 'Conn/first',
    contest: conflict('the entry x is that of Role/shop/a, too: each ends the password of the other'),
  });
});

test('where nobody has the same, nothing is said', async () => {
  const found = await met(true, 'y');
  expect(found).toMatchObject({ connection: 'Conn/first' });
  expect(found).not.toHaveProperty('contest');
});

test('what was made goes on, and its status says that it is not Ready for that', async () => {
  const { found } = await both(true);
  expect(conditionOf(found.status.conditions, 'Ready')).toMatchObject({
    status: 'False',
    ...conflict('the entry x is that of Role/shop/a, too: each ends the password of the other'),
  });
  expect(conditionOf((await both(true, 'y')).found.status.conditions, 'Ready')?.status).toBe('True');
});
