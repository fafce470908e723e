// A run that the API server refuses is tried again first of all. Where a quota was used up, the snapshots that should have expired were
// what used it: nothing expired, and no snapshot was taken any more.
import { expect, test } from 'vitest';
import { plan } from '../../../src/kinds/csi-snapshot-schedule/plan.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { own, situation, snapshot, type Given } from './situation.ts';

const refusal = 'csisnapshots "orders-202605100300" is forbidden: exceeded quota: snapshots';
const ref = { backend: 'b1', namespace: 'default', schedule: 'shop/orders' };
const due: Given = {
  now: '2026-05-10T03:00:00Z',
  has: [snapshot('2026-05-08T03:00:00Z'), snapshot('2026-05-09T03:00:00Z')],
  spec: { retention: { count: 1 } },
  memory: { ...noStatus, externalRef: ref, own, refusal },
};

/** The first thing that is done, so many minutes after the refusal. */
function done(given: Given, minutes = 0): string | undefined {
  const made = plan({ ...situation(given), nowMs: 59_000 + minutes * 60_000 });
  return made.verdict === 'change' ? made.steps[0].effect?.op : made.verdict;
}

test('what is to expire expires before a run that was refused is tried again', () => {
  expect(done(due)).toBe('child.delete');
});

test('the run is tried again all the same: what expires may wait for a person, and the quota be raised meanwhile', () => {
  expect([0, 1, 2, 3].map((minutes) => done(due, minutes))).toEqual([
    'child.delete',
    'child.create',
    'child.delete',
    'child.create',
  ]);
});

test('where nothing is to expire, it is tried again', () => {
  expect(done({ ...due, has: due.has?.slice(1) ?? [] })).toBe('child.create');
});

test('a run that was not refused comes first, and nothing expires while the volume is missing, or the schedule suspended', () => {
  expect(done({ ...due, memory: { ...noStatus, externalRef: ref, own } })).toBe('child.create');
  expect(done({ ...due, volume: { state: 'missing', message: 'gone' } })).toBe('blocked');
  for (const handled of [own.handled, '2026-05-10T03:00:00Z'])
    expect(
      done({
        ...due,
        memory: { ...noStatus, externalRef: ref, own: { ...own, handled }, refusal },
        policy: { suspend: true },
      }),
    ).not.toBe('child.delete');
});
