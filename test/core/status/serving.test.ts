// Who leaves and still has others made from it has to stay ready: else those would wait for it, and it for them.
import { expect, test } from 'vitest';
import { blocked } from '../../../src/core/planning/plan.ts';
import { conclude, type Ending } from '../../../src/core/status/outcome.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { visited } from '../../support/visits.ts';

const plan = blocked('DeletionBlocked', 'still used', { on: 'object' });
const leaves = { is: 'blocked', plan, usable: true } as const;
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
  expect(told({ ...leaves, serves: true })).toEqual(['Ready True InSync', ...going]);
});

test('who was not ready does not get ready by leaving', () => {
  expect(told({ ...leaves, serves: true }, noStatus)).toEqual(['Ready Unknown DeletionBlocked', ...going]);
});

test('who leaves otherwise is not ready', () => {
  expect(told(leaves)).toEqual(['Ready False DeletionBlocked', ...going]);
});
