// A snapshot that is under way tells nothing yet. While one was, the schedule was Ready, whatever had become of the runs before, and also
// where none had ever become ready.
import { expect, test } from 'vitest';
import { report } from '../../../src/kinds/csi-snapshot-schedule/report.ts';
import { situation, snapshot, type Given } from './situation.ts';

const first = '2026-05-07T03:00:00Z';
const second = '2026-05-08T03:00:00Z';
const third = '2026-05-09T03:00:00Z';
const told = (given: Given) => report(situation(given)).unready;

test('each run failed after hours, and the schedule was Ready for these hours', () => {
  const failed = {
    reason: 'RunFailed',
    message: "orders-202605080300 can't be used: its conditions say why",
  };
  for (const state of ['pending', 'unread', 'new'] as const)
    expect(told({ has: [snapshot(first), snapshot(second, 'failed'), snapshot(third, state)] })).toEqual(
      failed,
    );
});

test('concurrencyPolicy: Allow, and none became ready ever', () => {
  const allowing: Given = { spec: { concurrencyPolicy: 'Allow' } };
  const has = [snapshot(second, 'pending'), snapshot(third, 'pending')];
  expect(told({ ...allowing, has })).toEqual({
    reason: 'RunWaiting',
    message: 'orders-202605080300 and all later ones are not ready yet',
  });
  expect(told({ ...allowing, has: [snapshot(first), ...has] })).toBeUndefined();
});

test('the first one is waited for, and the next after one that is ready', () => {
  expect(told({ has: [snapshot(third, 'pending')] })).toBeUndefined();
  expect(
    told({ has: [snapshot(first, 'failed'), snapshot(second), snapshot(third, 'pending')] }),
  ).toBeUndefined();
});
