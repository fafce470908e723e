// What is declared on a connection that can't be opened may be anything, so others wait for it. Who leaves declares nothing,
// and who is given no access gets nothing.
import { expect, test } from 'vitest';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import { keyText } from '../../../src/core/resource.ts';
import { stalled } from '../../../src/core/planning/plan.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { chain, closed, connKey, part } from '../chain.ts';

test.for([
  { why: 'all wait for what is declared', deleting: false, unplaced: { unplaced: true } },
  { why: 'nobody waits for what leaves, or deletions would stop for good', deleting: true, unplaced: {} },
])('a connection that can not be opened: $why', async ({ deleting, unplaced }) => {
  const at = await chain();
  const key = { ...part, name: 'second' };
  at.source.declare({ key, spec: {} });
  await at.ports.connections.close('Conn/first');
  at.ports.connections.setHealth('Conn/first', false, 'no Secret');
  const object = { ...at.source.read(keyText(key))!.object, deleting, held: true };
  const met = preconditionsOf({ key: keyText(key), object, status: noStatus, secrets: new Map() }, at.ports);
  expect(met).toEqual({ is: 'parked', message: '/conn: Conn/first: no Secret', early: false, ...unplaced });
});

test.for([
  {
    why: 'while its connection is not open: it is told nothing of that, and nobody waits for it',
    open: false,
  },
  { why: 'while an earlier declaration is open that gave it access', open: true },
])('who is given no access is denied and goes behind all others, $why', async ({ open }) => {
  const at = await chain();
  const key = { ...part, name: 'second' };
  at.source.declare({ key, spec: {} });
  at.source.declare({ key: connKey('first'), spec: closed });
  if (!open) await at.ports.connections.close('Conn/first');
  at.ports.connections.setHealth('Conn/first', open, 'no Secret');
  at.ports.owners.drop(keyText(part));
  const entry = at.source.read(keyText(key))!;
  const met = preconditionsOf({ key: keyText(key), ...entry, secrets: new Map() }, at.ports);
  const message = '/conn: Conn/first gives no access to Part second from namespace shop';
  expect(met).toEqual({ is: 'blocked', plan: stalled('AccessDenied', message, { on: 'object' }) });
  expect(at.ports.owners.declaredBy(keyText(key))).toContain('first');
  expect(at.ports.owners.isAllowed(keyText(key))).toBe(false);
});
