// Fields that are not followed are named, or people believe that what they declared is there.
import { expect, test } from 'vitest';
import { conclude } from '../../../src/core/status/outcome.ts';
import { visited } from '../../support/visits.ts';

const shown = (kept: Readonly<Record<string, number>> | undefined) =>
  conclude(
    visited({ ending: { is: 'rest', plan: { verdict: 'in-sync', drift: [], ...(kept && { kept }) } } }),
  ).status.conditions.map(({ type, status, reason, message }) =>
    `${type}=${status}/${reason} ${message}`.trim(),
  );

test('by the condition FieldsKept, beside what is in order', () => {
  const well = ['Ready=True/InSync', 'Synced=True/InSync'];
  expect(shown(undefined)).toEqual(well);
  expect(shown({})).toEqual(well);
  expect(shown({ '/a': 1, '/b': 2 })).toEqual([
    ...well,
    'FieldsKept=True/ValueKept /a, /b: kept as made or as last declared; the values are in status.kept',
  ]);
});
