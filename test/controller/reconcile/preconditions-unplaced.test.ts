// What is declared on a connection that can't be opened may be anything, so others wait for it. Who leaves declares nothing.
import { expect, test } from 'vitest';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import { keyText } from '../../../src/core/resource.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { chain, part } from '../chain.ts';

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
