// What an ending leaves for others: who waits until others are made from it, and whose deletions an unwritten status holds up.
import { expect, test } from 'vitest';
import { isServing, lastOf, leftUnwritten } from '../../../src/controller/reconcile/endings.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { blocked } from '../../../src/core/planning/plan.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import type { Ending } from '../../../src/core/status/outcome.ts';
import { parked, rest } from '../../support/visits.ts';

const after = (ending: Ending) =>
  lastOf({ key: 'Toy/shop/a', done: [], ending, status: noStatus, requeueMs: undefined });
const waits = blocked('DeletionBlocked', 'm', { on: 'object' });

const left = (is: 'refused' | 'unavailable', declared: string | undefined) =>
  leftUnwritten(new ApiError(is, 'PermissionDenied', 'no'), 'Toy/shop/a', {
    owners: { declaredBy: () => declared },
    graph: { get: () => undefined },
  });

test('who waits and serves is served from, and nobody else', () => {
  expect(isServing(after({ is: 'blocked', plan: { ...waits, serves: true } }))).toBe(true);
  expect(isServing(after({ is: 'blocked', plan: waits }))).toBe(false);
  expect([rest(), parked].map((ending) => isServing(after(ending)))).toEqual([false, false]);
  expect(isServing(undefined)).toBe(false);
});

test('a status that can’t be written for now holds up every deletion; one that is refused, what it may claim', () => {
  expect(left('unavailable', 'toy')).toStrictEqual({ scope: undefined });
  expect(left('refused', undefined)).toStrictEqual({ scope: 'Toy/shop/a' });
  expect(left('refused', 'toy')).toBeUndefined();
});
