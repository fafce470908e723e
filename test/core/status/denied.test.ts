// When what was denied is tried again.
import { expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { conclude } from '../../../src/core/status/outcome.ts';
import { failed, visited } from '../../support/visits.ts';

test('a permission that is granted unheard is found within as long as it was missing, and costs no more in the end', () => {
  const ending = failed(new ApiError('refused', 'PermissionDenied', 'm'));
  const delays = [1, 2, 3, 4, 5, 6, 7, 8, 40].map(
    (failures) => conclude(visited({ ending, failures, random: 0.99 })).requeueMs,
  );
  expect(delays.map((ms = 0) => Math.round(ms / 1_000))).toEqual([5, 10, 20, 40, 80, 159, 318, 597, 597]);
});
