// OpenBao tells whether its configuration is of use to it. One whose issuer it does not reach lets nobody in, whatever Holdfast itself
// reaches, and nothing was said of it.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { discoveryOf } from '../../../src/kinds/oidc-config/issuer.ts';
import { declared, existing } from './situation.ts';

const at = '2026-03-01T00:00:00.000Z';
const told = (status: string | undefined, related?: { reason: string; transient: boolean }) =>
  discoveryOf({
    spec: declared,
    status: noStatus,
    observed: {
      state: 'present',
      live: { ...existing, ...(status !== undefined && { status }) },
      ...(related && { related: { at, message: 'said', ...related } }),
    },
  });
const well = { reason: 'IssuerAnswers', transient: false };
const condition = { type: 'DiscoverySucceeded', status: 'Unknown', reason: 'IssuerUnavailable' };

test('it is said, where Holdfast may not ask and where it found nothing wrong', () => {
  const message =
    'the service says that its configuration is invalid: it gets nothing of use from the issuer';
  expect(told('invalid').conditions).toEqual([{ ...condition, message }]);
  const { conditions, shown, unready } = told('invalid', well);
  expect([conditions, unready]).toEqual([[{ ...condition, message }], undefined]);
  expect(shown).toMatchObject({ discovery: { asked: at, result: 'IssuerAnswers' } }); // what Holdfast found stays
});

test('what Holdfast found wrong says more', () => {
  for (const fault of [
    { reason: 'IssuerMismatch', transient: false },
    { reason: 'IssuerSlow', transient: true },
  ])
    expect(told('invalid', fault).conditions).toMatchObject([{ reason: fault.reason }]);
});

test.for(['valid', undefined])('a status %j says nothing', (status) => {
  expect(told(status).conditions).toEqual([]);
  expect(told(status, well).conditions).toMatchObject([{ status: 'True', reason: 'IssuerAnswers' }]);
});
