// A volume that is replaced, or made anew under its name, has another disk. A snapshot of that is no later state of the data on the
// former one: the last good ones of each disk stay.
import { expect, test } from 'vitest';
import { givenUp, nextByAge, type Snapshot } from '../../../src/kinds/csi-snapshot-schedule/retention.ts';
import { firstStep, planned, situation, snapshot, type Given } from './situation.ts';
import { report } from '../../../src/kinds/csi-snapshot-schedule/report.ts';

const at = (day: number): number => Date.UTC(2026, 4, day);
const ready = (day: number, disk?: string): Snapshot => ({
  name: `may${day}`,
  atMs: at(day),
  state: 'ready',
  held: false,
  ...(disk !== undefined && { disk }),
});
const names = (has: readonly Snapshot[], retention: Parameters<typeof givenUp>[1], day = 9) =>
  givenUp(has, retention, 'UTC', at(day)).map(({ name }) => name);

test('what was taken of another disk since does not make the last ones of the former disk expire', () => {
  const has = [ready(1, 'a'), ready(2, 'a'), ready(3, 'b'), ready(4, 'b')];
  expect(names(has, { count: 1 })).toEqual(['may1', 'may3']);
  expect(names(has, { count: 1, minReady: 2 })).toEqual([]);
  expect(names(has, { maxAgeMs: 1 })).toEqual(['may1', 'may3']);
  expect(nextByAge(has, { maxAgeMs: at(20) - at(1) }, at(9))).toBe(at(20));
  expect(nextByAge([ready(2, 'a'), ready(4, 'b')], { maxAgeMs: at(20) - at(1) }, at(9))).toBe(Infinity);
});

test('the rules count all disks together, so that a former one keeps no more than minReady beside what they keep', () => {
  const has = [ready(1, 'a'), ready(2, 'a'), ready(3, 'a'), ready(4, 'b')];
  expect(names(has, { count: 2 })).toEqual(['may1', 'may2']);
});

test('one whose disk nobody told goes as before: it passes for one of the latest disk', () => {
  expect(names([ready(1), ready(2, 'b')], { count: 1 })).toEqual(['may1']);
  expect(names([ready(1), ready(2)], { count: 1 })).toEqual(['may1']);
});

const of = (time: string, disk: string) => {
  const { object, status } = snapshot(time);
  return { object, status: { ...status, own: { id: 'snap', pluginID: 'ebs', ready: true, disk } } };
};
const given: Given = {
  spec: { retention: { count: 1 } },
  volume: { state: 'ready', outputs: { externalID: 'b' } },
  has: [of('2026-05-08T03:00:00Z', 'a'), of('2026-05-09T03:00:00Z', 'b')],
};

test('the disk is that which the create recorded', () => {
  expect(planned(given).verdict).toBe('in-sync');
  const same = [of('2026-05-08T03:00:00Z', 'b'), of('2026-05-09T03:00:00Z', 'b')];
  expect(firstStep({ ...given, has: same }).summary).toContain('expire');
});

test('the status announces no deletion of a last one by runs that are of another disk', () => {
  const [former] = given.has ?? [];
  if (!former) throw new Error('no snapshot');
  const { nextDeletions } = report(situation({ ...given, has: [former] })).observed;
  expect(nextDeletions).toEqual([]);
});
