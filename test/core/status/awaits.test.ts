// What waits for a person is remembered with what it is about: that is what an approval matches.
import { expect, test } from 'vitest';
import { conclude } from '../../../src/core/status/outcome.ts';
import type { Status } from '../../../src/core/status/status.ts';
import { rest, stopped, visited } from '../../support/visits.ts';

const asked = (more: { readonly id?: string }): Status =>
  conclude(
    visited({ ending: stopped('DeletionLimitExceeded', 'm', { on: 'approval', digest: 'd1', ...more }) }),
  ).status;

test('it is known for as long as it waits, and not where nothing names what would go', () => {
  const waiting = asked({ id: 'u1 leaves' });
  expect(waiting.awaits).toEqual({ digest: 'd1', id: 'u1 leaves' });
  expect(asked({})).not.toHaveProperty('awaits');
  expect(conclude(visited({ ending: rest(), status: waiting })).status).not.toHaveProperty('awaits');
});
