// What claims the restored volume keeps it from being taken away, and as long as it is there no other drill begins. The schedule was Ready
// all that time, though no restore was verified any more.
import { expect, test } from 'vitest';
import { report } from '../../../src/kinds/csi-snapshot-schedule/report.ts';
import { begun, drill, every, made } from './drilling.ts';
import { situation, type Given } from './situation.ts';

const ended = { ended: true } as const;
const going = [made('CSIVolume', 'ready', { deleting: true })];
const told = (given: Given) => report(situation(given)).unready;
const endedAt = '2026-05-09T11:40:00Z';
const drilled = {
  snapshot: drill.snapshot,
  startedAt: drill.startedAt,
  endedAt,
  result: 'Verified',
} as const;
/** A day after the drill ended. */
const due = '2026-05-10T11:40:00Z';

test('no drill began any more, and nothing said so', () => {
  expect(told(begun({ has: going, now: due }, ended, { drilled }))).toEqual({
    reason: 'DrillPending',
    message: `the next drill waits until what the one of ${drill.snapshot} made is gone: ${drill.name}`,
  });
});

test.for<{ why: string; given: Given }>([
  {
    why: '`every` has not passed since',
    given: begun({ has: going, now: '2026-05-10T11:39:59Z' }, ended, { drilled }),
  },
  { why: 'none is declared any more', given: begun({ has: going, now: due, spec: {} }, ended, { drilled }) },
  {
    why: 'it is under way, until its timeout',
    given: begun({ has: [made('CSIVolume', 'ready')], now: due }),
  },
  {
    why: 'it is suspended',
    given: begun({ has: going, now: due, policy: { suspend: true } }, ended, { drilled }),
  },
  { why: 'nothing was begun', given: { spec: every, now: due } },
])('nothing is said where $why', ({ given }) => {
  expect(told(given)).toBeUndefined();
});
