// A run of a schedule that failed is never tried again, and its object has no manifest that could be removed: it held its volume for
// good. What a person declared holds it, failed or not, unless it leaves without ever having been made.
import { expect, test } from 'vitest';
import { Graph } from '../../../src/controller/index/references.ts';
import { stillUsed } from '../../../src/controller/reconcile/holders.ts';
import { parseKey, type DeclaredObject } from '../../../src/core/resource.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';

const volume = 'CSIVolume/shop/data';
const child = 'CSISnapshot/shop/nightly-1';

const stalled: Status = {
  ...noStatus,
  conditions: [
    {
      type: 'Stalled',
      status: 'True',
      reason: 'AccessDenied',
      message: '',
      observedGeneration: 1,
      lastTransitionTime: '2026-03-01T00:00:00Z',
    },
  ],
};

function heldBy(status: Status, generatedBy: string | undefined, change: Partial<DeclaredObject> = {}) {
  const graph = new Graph();
  const [target, key] = [parseKey(volume), parseKey(child)];
  if (!target || !key) throw new Error('both are keys');
  graph.set(child, {
    uid: 'u',
    generation: 1,
    deleting: false,
    references: [{ to: 'object', field: '/volumeRef', target, holds: 'until-made' }],
    connection: undefined,
    ...(generatedBy !== undefined && { generatedBy }),
  });
  const declared = { key, uid: 'u', generation: 1, deleting: false, held: true, requests: {}, spec: {} };
  const object = { ...declared, ...change };
  return stillUsed(volume, { graph, kinds: new Map(), source: { read: () => ({ object, status }) } })
    ?.message;
}

const schedule = 'CSISnapshotSchedule/shop/nightly';
const held = `still used by ${child}`;

test('a generated child that failed, and of which nothing is outside, holds nothing', () => {
  expect(heldBy(stalled, schedule)).toBeUndefined();
});

test('it does while it may still be made, and so does what a person declared', () => {
  expect(heldBy(noStatus, schedule)).toBe(held);
  expect(heldBy({ ...stalled, pending: { op: 'create', token: '' } }, schedule)).toBe(held);
  expect(heldBy(stalled, undefined)).toBe(held);
});

test.for<{ why: string; change: Partial<DeclaredObject>; holds: boolean }>([
  {
    why: 'who leaves and never had anything outside is not made any more',
    change: { deleting: true, held: false },
    holds: false,
  },
  { why: 'who leaves may still make what it has begun', change: { deleting: true }, holds: true },
  { why: 'who stays is made later', change: { held: false }, holds: true },
])('two that are only observed could hold each other: $why', ({ change, holds }) => {
  expect(heldBy(noStatus, undefined, change)).toBe(holds ? held : undefined);
});
