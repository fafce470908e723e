// What is kept from visit to visit: that an object is held, and which requests were answered. Losing either loses a disk's
// owner, or acts twice.
import { expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import type { Perform } from '../bench.ts';
import { chain, works } from '../chain.ts';
import { disk, disks } from '../disks.ts';

const name = 'Leaf/shop/leaf';
const refused = new ApiError('refused', 'Rejected', 'no luck');
const lost = new ApiError('timeout', 'InvalidResponse', 'no answer', { mayHaveHadEffect: true });

/** Its creates end like this, one after the other; then they work. */
const makes = (...ends: readonly ('lost' | 'refused')[]): Perform => {
  let made = 0;
  return (connection, effect) => {
    if (effect !== 'make' || made++ === 0) return works(connection, effect); // the first makes the part
    const end = ends[made - 2];
    if (end === undefined) return works(connection, effect);
    return end === 'lost' ? { is: 'unknown', error: lost } : { is: 'rejected', error: refused };
  };
};

test('whose first create is refused is let go: nothing of it can be outside', async () => {
  const at = await chain(makes('refused'));
  await at.visit(name);
  expect(at.source.read(name)?.object.held).toBe(false);
});

test('whose create got lost stays held though the next one is refused: the first may have made something', async () => {
  const at = await chain(makes('lost', 'refused'));
  await at.visit(name);
  await at.visit(name);
  expect(at.source.log.filter((line) => line === 'first: make')).toHaveLength(3); // the part, and twice this
  expect(at.source.read(name)?.object.held).toBe(true);
});

test('a request is answered where others were answered before, though nothing else is remembered', async () => {
  const at = await chain();
  await at.visit(name);
  const entry = at.source.read(name);
  if (!entry) throw new Error('it was declared');
  const { externalRef } = entry.status;
  const memory = { ...noStatus, ...(externalRef && { externalRef }), handledRequests: { turn: 't1' } };
  at.source.entries.set(name, { object: { ...entry.object, requests: { turn: 't2' } }, status: memory });
  await at.visit(name);
  expect(at.source.log).toContain('first: turn t2');
});

test.for([
  { why: 'an intent', memory: { pending: { op: 'create', token: 'make it' } } },
  { why: 'a condition', memory: { conditions: undefined } },
])('so is one where $why is remembered: the object was seen before the request', async ({ memory }) => {
  const at = await chain();
  await at.visit(name);
  const entry = at.source.read(name);
  if (!entry) throw new Error('it was declared');
  const before = { ...entry.status, handledRequests: {} };
  const seen = 'conditions' in memory ? before : { ...before, conditions: [], ...memory };
  at.source.entries.set(name, { object: { ...entry.object, requests: { turn: 't1' } }, status: seen });
  await at.visit(name);
  expect(at.source.log).toContain('first: turn t1');
});

test('which Secrets came to nothing is told with the visit: the page shows what is waited for', async () => {
  const { at, declare } = await disks([]);
  declare('a', { waits: true });
  const missing = new Map([
    ['/secret', { state: 'missing', message: 'Secret shop/none does not exist, or has no entry x' }],
  ]);
  expect(await at.visit(disk('a'))).toMatchObject({ ending: { is: 'blocked' }, missing });
  at.source.secrets.set('shop/none/x', Secret.of('none/x', '1', 'canary'));
  expect(await at.visit(disk('a'))).not.toHaveProperty('missing');
});
