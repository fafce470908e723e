// Who says of himself that he is made to be thrown away is counted like any other: only the record of the object that made
// him exempts him.
import { expect, test } from 'vitest';
import { isExempt } from '../../../src/controller/index/limit-exemptions.ts';
import { Graph, type Node } from '../../../src/controller/index/references.ts';
import type { Json } from '../../../src/core/secret.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { kinds } from '../../../src/runtime/kinds/lookup.ts';

const schedule = 'CSISnapshotSchedule/shop/orders';
const clone = 'CSIVolume/shop/orders-drill-k3';
const node: Node = {
  uid: 'u1',
  generation: 1,
  deleting: true,
  references: [],
  connection: 'SchedulerConnection//main',
  generatedBy: schedule,
};
const open = { name: 'orders-drill-k3', snapshot: 's1', startedAt: 't', volume: 'u1' };
const unseen = { name: 'orders-drill-k3', snapshot: 's1', startedAt: 't' };

interface Given {
  readonly entered?: Node;
  readonly drill?: Json;
  readonly declared?: boolean;
}

function asked(key: string, { entered = node, drill = open, declared = true }: Given = {}) {
  const graph = new Graph();
  graph.set(key, entered);
  const own = { handled: 't', ...(drill !== null && { drill }) };
  const parent = {
    object: {
      key: { kind: 'CSISnapshotSchedule', namespace: 'shop', name: 'orders' },
      uid: 'p',
      generation: 1,
      deleting: false,
      held: true,
      requests: {},
      spec: {},
    },
    status: { ...noStatus, own },
  };
  const source = {
    keys: () => [],
    read: (at: string) => (declared && at === schedule ? parent : undefined),
    secret: () => Promise.reject(new Error('nobody asks')),
  };
  return isExempt(key, { graph, source, kinds });
}

test('the clone of a drill that is open counts against no limit', () => {
  expect(asked(clone)).toBe(true);
});

test('neither does what leaves nothing outside', () => {
  expect(asked('AllocationAction/shop/a', { declared: false })).toBe(true);
});

test.each<{ why: string; key?: string; more: Given }>([
  { why: 'another volume of that name', more: { entered: { ...node, uid: 'u2' } } },
  { why: 'one that was not seen yet', more: { drill: unseen } },
  { why: 'one of a drill that is over', more: { drill: null } },
  { why: 'one whose schedule is gone', more: { declared: false } },
  { why: 'one that nobody made', more: { entered: { ...node, generatedBy: 'CSIVolume/shop/x' } } },
  { why: 'another volume that says it is a child', key: 'CSIVolume/shop/orders', more: {} },
  { why: 'a snapshot of the schedule', key: 'CSISnapshot/shop/orders-drill-k3', more: {} },
])('$why counts', ({ key = clone, more }) => {
  expect(asked(key, more)).toBe(false);
});
