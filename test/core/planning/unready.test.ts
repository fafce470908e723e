// An object that is as declared and that nobody can use all the same: what a look showed of that is told, whatever became of the
// visit, so that nothing is started on it.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import type { Report } from '../../../src/core/kind/kind.ts';
import { conclude, type Ending } from '../../../src/core/status/outcome.ts';
import { parked, rest, visited } from '../../support/visits.ts';

const unready = { reason: 'PluginUnhealthy', message: 'on 1 of 2 nodes' } as const;
const report: Report = { observed: {}, conditions: [], unready };
const readyAfter = (ending: Ending, deleting = false) =>
  conditionOf(conclude(visited({ ending, report, deleting })).status.conditions, 'Ready');

test('as declared and not ready: why is told', () => {
  expect(readyAfter(rest())).toMatchObject({ status: 'False', ...unready });
});

test('so it is where the service can not tell what it has', () => {
  const unseen: Ending = { is: 'rest', plan: { verdict: 'in-sync', drift: [], unverified: true } };
  expect(readyAfter(unseen)).toMatchObject({ status: 'False', ...unready });
});

test('what stops the visit is told besides', () => {
  const message = 'on 1 of 2 nodes: Conn/c: no leader';
  expect(readyAfter(parked)).toMatchObject({ status: 'False', reason: 'PluginUnhealthy', message });
});

test('of one that leaves, nobody asks', () => {
  expect(readyAfter(parked, true)).toMatchObject({ status: 'Unknown', reason: 'ConnectionNotReady' });
});
