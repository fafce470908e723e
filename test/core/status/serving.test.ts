// Who leaves and still has others made from it has to stay ready: else those would wait for it, and it for them.
import { expect, test } from 'vitest';
import { blocked } from '../../../src/core/planning/plan.ts';
import { conclude, type Ending, type ReconcileOutcome } from '../../../src/core/status/outcome.ts';
import type { Reason } from '../../../src/core/status/reasons.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { visited } from '../../support/visits.ts';

const plan = blocked('DeletionBlocked', 'still used', { on: 'object' });
const leaves = { is: 'blocked', plan, usable: true } as const;
const serves = { ...leaves, plan: { ...plan, serves: true } } as const;
const isReady: Status = {
  ...noStatus,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'InSync',
      message: '',
      observedGeneration: 1,
      lastTransitionTime: '2026-03-01T00:00:00Z',
    },
  ],
};

const told = (ending: Ending, status: Status = isReady) =>
  conclude(visited({ ending, status })).status.conditions.map((c) => `${c.type} ${c.status} ${c.reason}`);
const going = ['Synced False DeletionBlocked', 'Reconciling True DeletionBlocked'];

test('who leaves once others are made from it stays ready for them', () => {
  expect(told(serves)).toEqual(['Ready True InSync', ...going]);
});

test('who was not ready does not get ready by leaving', () => {
  expect(told(serves, noStatus)).toEqual(['Ready Unknown DeletionBlocked', ...going]);
});

/** Of what is outside still, or is not, and was said not to be ready for that reason. */
const unready = (reason: Reason, isOutside = true): Status => ({
  ...isReady,
  ...(isOutside && { externalRef: { backend: 'b' } }),
  conditions: isReady.conditions.map((one) => ({ ...one, status: 'False', reason })),
});

test.for([
  'DeletionPending',
  'DeletionLimitExceeded',
  'DeletionBlocked',
  'MoveInProgress',
  'RemovalInProgress',
] as const)(
  'who was not ready because of its deletion (%s) is ready again for those that are found to be made from it',
  (reason) => {
    expect(told(serves, unready(reason))[0]).toBe('Ready True InSync');
    expect(told(serves, unready(reason, false))[0]).toBe('Ready False DeletionBlocked');
    const absent = conclude(visited({ ending: serves, status: unready(reason), absent: true }));
    expect(absent.status.conditions[0]?.status).toBe('False');
  },
);

test('who was not ready for another reason stays so', () => {
  expect(told(serves, unready('PluginUnhealthy'))[0]).toBe('Ready False DeletionBlocked');
});

test('who leaves otherwise is not ready', () => {
  expect(told(leaves)).toEqual(['Ready False DeletionBlocked', ...going]);
});

test('of which there is nothing to be made from now is not ready for them, whatever it was before', () => {
  const { conditions } = conclude(
    visited({ ending: serves, status: isReady, isPresent: () => false }),
  ).status;
  expect(conditions[0]).toMatchObject({ type: 'Ready', status: 'False', reason: 'DeletionBlocked' });
});

const isPresent = ({ observed }: Status) => observed?.['id'] === 'seen';

test('is judged by what the visit has observed, beside the record', () => {
  const report = { observed: { id: 'seen' }, conditions: [] };
  const { conditions } = conclude(
    visited({ ending: serves, status: isReady, deleting: true, report, isPresent }),
  ).status;
  expect(conditions[0]).toMatchObject({ type: 'Ready', status: 'True' });
});

const readyOf = (v: Partial<ReconcileOutcome>) =>
  conclude(visited({ status: noStatus, ...v, ending: serves })).status.conditions[0]?.status;

test('who stays is ready for those that are made from it once it is seen to be there, whatever it was before', () => {
  const report = { observed: {}, conditions: [] };
  const ill = { ...report, unready: { reason: 'PluginUnhealthy', message: 'm' } } as const;
  expect(readyOf({ report })).toBe('True');
  expect(readyOf({ report: ill })).toBe('False');
  expect(readyOf({ report, absent: true })).toBe('False');
  expect(readyOf({ report, deleting: true })).toBe('Unknown');
  expect(readyOf({})).toBe('Unknown');
});
