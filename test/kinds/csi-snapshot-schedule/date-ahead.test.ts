// The machine's date was years ahead for a moment, and one run was started then. Since the date is right again, that snapshot passed for
// the latest until then: it alone was drilled, and what became of it was what the schedule said of itself.
import { expect, test } from 'vitest';
import type { Entry } from '../../../src/core/source/source.ts';
import { report } from '../../../src/kinds/csi-snapshot-schedule/report.ts';
import { every, said } from './drilling.ts';
import { at, firstStep, planned, situation, snapshot, type Given } from './situation.ts';

const ahead = '2031-01-01T03:00:00Z';
const yesterday = '2026-05-09T03:00:00Z';
const next = '2026-05-10T03:00:00Z';
const seconds = (time: string): number => at(time) / 1_000;
const told = (given: Given) => report(situation(given));

/** Ready, and the plugin tells of it what a restore needs. */
const whole = (time: string): Entry => {
  const one = snapshot(time);
  return { ...one, status: { ...one.status, observed: { id: 'snap', pluginID: 'ebs', sizeBytes: 1 } } };
};

test('it was restored by each drill, and those that were taken since by none', () => {
  const step = firstStep({ spec: every, has: [whole(yesterday), whole(ahead)] });
  expect(step.own).toMatchObject({ drill: { snapshot: 'orders-202605090300' } });
  expect(said({ spec: every, has: [whole(ahead)] })).toBe('in-sync');
});

test('it was shown as the last one that is ready', () => {
  const { observed } = told({ has: [snapshot(yesterday), snapshot(ahead)] });
  expect(observed['lastReadySnapshot']).toEqual({ name: 'orders-202605090300', at: yesterday });
});

test('it had failed, and for years the schedule said that its runs did', () => {
  expect(told({ has: [snapshot(yesterday), snapshot(ahead, 'failed')] }).unready).toBeUndefined();
});

test('it was ready, and for years a run that failed or was missed was not told of', () => {
  const has = [snapshot(yesterday, 'failed'), snapshot(ahead)];
  expect(told({ has }).unready).toMatchObject({ reason: 'RunFailed' });
  const { status } = situation({});
  const memory = { ...status, own: { handled: next, missed: next } };
  const missed = told({ has: [snapshot(yesterday), snapshot(ahead)], memory, now: next });
  expect(missed.unready).toMatchObject({ reason: 'RunMissed' });
});

test('it had failed, and the latest that did went at once, with its conditions that say why', () => {
  const has = [snapshot(yesterday, 'failed'), snapshot(ahead, 'failed')];
  expect(planned({ has })).toMatchObject({ verdict: 'in-sync' });
});

test('a run was started beside the one before that was not ready, though that is forbidden', () => {
  const has = [snapshot(yesterday, 'pending'), snapshot(ahead)];
  expect(planned({ has, now: next })).toMatchObject({ verdict: 'blocked', reason: 'RunWaiting' });
});

test('it was not ready for good, and no run was started', () => {
  const { effect } = firstStep({ has: [snapshot(yesterday), snapshot(ahead, 'pending')], now: next });
  expect(effect).toMatchObject({ op: 'child.create', child: { key: { name: 'orders-202605100300' } } });
});

test('once its run came, that took none: it had the name', () => {
  const early = snapshot(next, 'ready', {}, undefined, seconds(yesterday));
  const { effect, own } = firstStep({ has: [early], now: next });
  const made = {
    key: { name: 'orders-202605100301' },
    annotations: { 'holdfast.dev/scheduled-at': '2026-05-10T03:01:00Z' },
  };
  expect(effect).toMatchObject({ op: 'child.create', child: made });
  expect(own).toMatchObject({ handled: next, started: next });
  // What was made for it, and not recorded, is found again; and so is what was taken in time.
  const then = snapshot('2026-05-10T03:01:00Z', 'ready', {}, undefined, seconds(next));
  expect(firstStep({ has: [early, then], now: next }).effect).toMatchObject({ child: made });
  const inTime = snapshot(next, 'ready', {}, undefined, seconds(next));
  expect(firstStep({ has: [inTime], now: next }).effect).toMatchObject({
    child: { key: { name: 'orders-202605100300' } },
  });
});
