// The version of an external object that was in sync, by which a restart knows from a list alone that it still is.
import { expect, test } from 'vitest';
import { conclude, type Ending } from '../../../src/core/status/outcome.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { failed, parked, rest, stopped, visited } from '../../support/visits.ts';

const status = { ...noStatus, observedVersion: 'v1' };
const after = (ending: Ending, version?: string) =>
  conclude(
    visited({
      ending,
      status,
      report: { observed: {}, conditions: [], ...(version !== undefined && { version }) },
    }),
  ).status;

test('is recorded of what is in sync', () => {
  expect(after(rest(), 'v2').observedVersion).toBe('v2');
});

test('is not recorded of what is not in sync: a restart would take it for what is declared', () => {
  for (const ending of [stopped('VolumeInUse', 'm'), failed(new Error('no')), parked])
    expect(after(ending, 'v2')).not.toHaveProperty('observedVersion');
});

test('is forgotten where the service tells none', () => {
  expect(after(rest())).not.toHaveProperty('observedVersion');
});
