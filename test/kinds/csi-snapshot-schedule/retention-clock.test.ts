// The machine's date was years ahead for a moment, and one run was started then. Since the date is right again, that snapshot was
// "the newest" until then: what was taken afterwards went first, and of the rules each lost one.
import { expect, test } from 'vitest';
import { givenUp, nextByAge, type Snapshot } from '../../../src/kinds/csi-snapshot-schedule/retention.ts';

const at = (text: string): number => Date.parse(text);
const ready = (name: string, time: string): Snapshot => ({
  name,
  atMs: at(time),
  state: 'ready',
  held: false,
});

const ahead = ready('taken-2026-01-01-by-a-wrong-date', '2031-01-01T00:00:00Z');
const now = at('2026-03-01T00:05:00Z');
const monthMs = 30 * 86_400_000;

test('what was taken last went at once, and what was taken two months ago stayed', () => {
  const snapshots = [
    ahead,
    ready('the-night-before', '2026-02-28T00:00:00Z'),
    ready('last-night', '2026-03-01T00:00:00Z'),
  ];
  expect(givenUp(snapshots, { count: 1 }, 'UTC', now).map(({ name }) => name)).toEqual(['the-night-before']);
  expect(givenUp(snapshots, { daily: 2 }, 'UTC', now)).toEqual([]);
});

test('the last good one was not kept once nothing could be taken any more, for a later one seemed to be there', () => {
  const snapshots = [ahead, ready('last-good', '2026-01-20T00:00:00Z')];
  expect(givenUp(snapshots, { maxAgeMs: monthMs }, 'UTC', now)).toEqual([]);
  expect(nextByAge(snapshots, { maxAgeMs: monthMs }, at('2026-01-21T00:00:00Z'))).toBe(Infinity);
});

test('once its time has come, it counts and goes like any other', () => {
  const later = ready('later', '2031-01-02T00:00:00Z');
  const gone = givenUp([ahead, later], { count: 1 }, 'UTC', at('2031-01-02T00:05:00Z'));
  expect(gone.map(({ name }) => name)).toEqual([ahead.name]);
});
