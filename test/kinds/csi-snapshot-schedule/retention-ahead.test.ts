// A snapshot was taken while the machine's date was days ahead, for a run that was yet to come. Once its time had come, it passed for the
// newest: by the rules the newest data went, and what stayed was days old. The provider's clock tells.
import { expect, test } from 'vitest';
import { givenUp, nextByAge, type Snapshot } from '../../../src/kinds/csi-snapshot-schedule/retention.ts';

const at = (text: string): number => Date.parse(`2026-05-${text}Z`);
const taken = (name: string, run: string, when: string): Snapshot => ({
  name,
  atMs: at(run),
  takenMs: at(when),
  state: 'ready',
  held: false,
});
const ahead = taken('ahead', '20T03:00:00', '10T08:00:00');
const newest = taken('newest', '19T03:00:00', '19T03:00:05');
const older = taken('older', '18T03:00:00', '18T03:00:05');
const now = at('20T04:00:00');
const names = (snapshots: readonly Snapshot[], retention: Parameters<typeof givenUp>[1]) =>
  givenUp(snapshots, retention, 'UTC', now).map(({ name }) => name);

test('it made the newest data expire', () => {
  expect(names([older, newest, ahead], { count: 1 })).toEqual(['older']);
  expect(names([newest, ahead], { maxAgeMs: 3_600_000 })).toEqual([]);
});

test('a provider that tells one time of all, or none that is right, keeps nothing for good', () => {
  const all = [older, newest, taken('last', '20T03:00:00', '20T03:00:05')];
  const same = all.map((one) => ({ ...one, takenMs: at('01T00:00:00') }));
  expect(names(same, { count: 1 })).toEqual(['older', 'newest']);
  const behind = all.map((one) => ({ ...one, takenMs: (one.takenMs ?? 0) - 28_800_000 }));
  expect(names(behind, { count: 1 })).toEqual(['older', 'newest']);
});

test('it is waited for until it is too old by its run, too', () => {
  const last = taken('last', '21T01:00:00', '21T01:00:05');
  expect(nextByAge([ahead, last], { maxAgeMs: 86_400_000 }, at('21T02:00:00'))).toBe(at('21T03:00:00'));
});
