// Which snapshots a schedule may let expire: annotations alone prove nothing, as whoever may edit sets them.
import { expect, test } from 'vitest';
import type { DeclaredObject } from '../../../src/core/resource.ts';
import { csiSnapshotSchedule } from '../../../src/kinds/csi-snapshot-schedule/kind.ts';

const connectionRef = { name: 'main' };
const volumeRef = { name: 'data' };
const schedule = {
  key: { kind: 'CSISnapshotSchedule', namespace: 'shop', name: 'nightly' },
  requests: {},
  spec: { connectionRef, volumeRef, schedule: '0 3 * * *', retention: { count: 3 } },
};
const key = { kind: 'CSISnapshot', namespace: 'shop', name: 'nightly-202601010300' };
const taken: DeclaredObject = {
  key,
  uid: 'u1',
  generation: 1,
  deleting: true,
  held: true,
  requests: { 'scheduled-at': '2026-01-01T03:00:00Z' },
  spec: { connectionRef, volumeRef },
};
const expires = (child: Partial<DeclaredObject> = {}): boolean =>
  csiSnapshotSchedule.open(schedule, {}).expires({ ...taken, ...child });

test('those that it took', () => {
  expect(expires()).toBe(true);
});

test.for<{ why: string; child: Partial<DeclaredObject> }>([
  { why: 'of another name', child: { key: { ...key, name: 'nightly-202601010301' } } },
  { why: 'of another namespace', child: { key: { ...key, namespace: 'blog' } } },
  { why: 'of another kind, as a volume with data', child: { key: { ...key, kind: 'CSIVolume' } } },
  { why: 'that say no time', child: { requests: {} } },
  { why: 'of another volume', child: { spec: { connectionRef, volumeRef: { name: 'other' } } } },
  { why: 'of another connection', child: { spec: { connectionRef: { name: 'other' }, volumeRef } } },
  { why: 'that can not be read', child: { spec: undefined } },
])('none $why', ({ child }) => {
  expect(expires(child)).toBe(false);
});
