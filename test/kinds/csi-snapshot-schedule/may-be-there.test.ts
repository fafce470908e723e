// The answer to a create was lost, and by now its volume is on another disk: a person has to look whether a snapshot was made
// (Stalled/VolumeReplaced). Retention deleted the object, which deletes nothing outside, and nobody knew of that snapshot any more.
import { expect, test } from 'vitest';
import type { Entry } from '../../../src/core/source/source.ts';
import { planned, snapshot, situation } from './situation.ts';
import { report } from '../../../src/kinds/csi-snapshot-schedule/report.ts';

const old = '2026-05-07T03:00:00Z';
const lost = (reason: 'VolumeReplaced' | 'Rejected'): Entry => {
  const one = snapshot(old, 'failed');
  const { conditions } = one.status;
  return {
    ...one,
    status: {
      ...one.status,
      conditions: conditions.map((condition) => ({ ...condition, reason })),
      pending: { op: 'create', token: 'n', evidence: { name: 'n', volume: 'v', plugin: 'p', disk: 'd1' } },
    },
  };
};
const rules = [{ count: 1 }, { maxAge: '1h' }];
const later = [snapshot('2026-05-08T03:00:00Z'), snapshot('2026-05-09T03:00:00Z')];

test.for(rules)('it was forgotten by %o', (retention) => {
  const has = [lost('VolumeReplaced'), later[1]!];
  expect(planned({ has, spec: { retention } })).toMatchObject({ verdict: 'in-sync' });
  expect(report(situation({ has, spec: { retention } })).observed['snapshots']).toMatchObject({ held: 1 });
});

test('one whose create is repeated to delete what it made goes like any other', () => {
  const has = [lost('Rejected'), later[1]!];
  expect(planned({ has, spec: { retention: { count: 1 } } })).toMatchObject({ verdict: 'change' });
});
