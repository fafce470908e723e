// What the API server does not know of it takes away: a status that was written whole comes back as it was.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { statusOf } from '../../../src/schema/crd/status.ts';
import { statusBody, type Stored } from '../../../src/sources/kubernetes/wire.ts';

const object = {
  key: { kind: 'SchedulerConnection', namespace: '', name: 'main' },
  uid: 'u',
  generation: 1,
  deleting: false,
  held: true,
  requests: {},
  spec: {},
};
const recentDeletions = [{ key: 'CSIVolume/shop/data', at: '2026-01-01T00:00:00Z' }];
const stored: Stored = {
  object,
  status: noStatus,
  resourceVersion: '1',
  finalizers: [],
  wire: { recentDeletions },
  intent: 'intent',
};

test('the definitions know every field that is written: an approval that is pruned is asked for for ever', () => {
  const written = Object.keys(Object(statusBody(noStatus, stored, 'approved')));
  const known = Object.keys(Object(statusOf('Cluster')['properties']));
  expect(written).toEqual(expect.arrayContaining(['uid', 'intent', 'approved', 'recentDeletions']));
  expect(known).toEqual(expect.arrayContaining(written));
});
