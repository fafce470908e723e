// When what met a refused session is tried again: the connection recovers by itself, and this object with it.
import { expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { conclude } from '../../../src/core/status/outcome.ts';
import { failed, visited } from '../../support/visits.ts';

test.for(['LoginFailed', 'InvalidToken', 'TokenExpired'] as const)(
  'an object that met %s itself is back with its connection, not minutes after it',
  (reason) => {
    const ending = failed(new ApiError('refused', reason, 'm'));
    expect(conclude(visited({ ending, failures: 0, random: 0.5 })).requeueMs).toBeLessThan(5_000);
  },
);

test('what a service refuses for other reasons is not tried again and again', () => {
  const ending = failed(new ApiError('refused', 'Rejected', 'm'));
  expect(conclude(visited({ ending, failures: 0, random: 0.5 })).requeueMs).toBeGreaterThan(240_000);
});
