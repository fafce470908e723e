// Writes that had no result are counted, so that they end some day. Repairs that held are none, whatever else the object waits for.
import { expect, test } from 'vitest';
import { blocked } from '../../../src/core/planning/plan.ts';
import { conclude, type Ending } from '../../../src/core/status/outcome.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { parked, visited } from '../../support/visits.ts';

const tries = { '/size': 2, 'detach n1': 1 };
const waiting = blocked('OutputConflict', 'm', { on: 'object' });

test.for<readonly [why: string, ending: Ending, left: Readonly<Record<string, number>>]>([
  [
    'it waits with every field as declared: the next repair is the first',
    { is: 'blocked', plan: { ...waiting, converged: true } },
    { 'detach n1': 1 },
  ],
  ['it waits, and fields may differ', { is: 'blocked', plan: waiting }, tries],
  ['nothing was observed', parked, tries],
])('$0', ([, ending, left]) => {
  expect(conclude(visited({ ending, status: { ...noStatus, tries } })).status.tries).toEqual(left);
});
