// What a person approves where an object lets its children go by rule.
import { describe, expect, test } from 'vitest';
import {
  expiryID,
  isApproved,
  isDeletionApproved,
  isExpiry,
} from '../../../src/core/planning/deletion-limits.ts';

const parent = { uid: 'r', generation: 3 };
const child = (requests: Readonly<Record<string, string>> = {}) => ({
  key: { kind: 'Toy', namespace: 'shop', name: 'c' },
  uid: 'c',
  generation: 2,
  requests,
});
const approvals =
  (approved: Readonly<Record<string, string>>) =>
  (named: string): string | undefined =>
    approved[named];

describe('an approval of expiries', () => {
  const approved = expiryID(parent, '2026-01-05T00:00:00Z');
  test.each([
    { why: 'covers its newest', id: approved, is: true },
    {
      why: 'covers older ones: some may be gone by now',
      id: expiryID(parent, '2026-01-04T00:00:00Z'),
      is: true,
    },
    { why: 'covers no newer one: nobody saw it', id: expiryID(parent, '2026-01-05T00:01:00Z'), is: false },
    {
      why: 'covers none of another declaration',
      id: expiryID({ ...parent, generation: 4 }, '2026-01-04T00:00:00Z'),
      is: false,
    },
    {
      why: 'covers none of another object',
      id: expiryID({ ...parent, uid: 'v' }, '2026-01-04T00:00:00Z'),
      is: false,
    },
    { why: 'covers nothing that leaves', id: 'r 3 is deleted', is: false },
  ])('$why', ({ id, is }) => {
    expect(isApproved(approved, id)).toBe(is);
    expect(isApproved('r 3 is deleted', expiryID(parent, '2026-01-01T00:00:00Z'))).toBe(false);
  });
});

test('an expiry is told from what leaves itself', () => {
  expect(isExpiry(expiryID(parent, '2026-01-05T00:00:00Z'))).toBe(true);
  expect(isExpiry('r 3 is deleted')).toBe(false);
});

describe('that an object leaves is approved', () => {
  const decision = expiryID(parent, '2026-01-04T00:00:00Z');
  const bears = { 'generated-by': 'Rule/shop/r', expired: decision };
  test.each([
    { why: 'by its own going', object: child(), approved: { 'Toy/shop/c': 'c 2 is deleted' }, is: true },
    {
      why: 'by the decision of its parent',
      object: child(bears),
      approved: { 'Rule/shop/r': decision },
      is: true,
    },
    {
      why: 'not by another of its parent',
      object: child(bears),
      approved: { 'Rule/shop/r': 'r 3 is deleted' },
      is: false,
    },
    {
      why: 'not by that of another object',
      object: child(bears),
      approved: { 'Rule/shop/x': decision },
      is: false,
    },
    {
      why: 'not by that of a parent in another namespace, who has no say here',
      object: child({ ...bears, 'generated-by': 'Rule/other/r' }),
      approved: { 'Rule/other/r': decision },
      is: false,
    },
    {
      why: 'not where the parent is named by no key: people write annotations',
      object: child({ ...bears, 'generated-by': 'r' }),
      approved: { r: decision },
      is: false,
    },
    {
      why: 'not by its parent alone: somebody else deleted it',
      object: child({ 'generated-by': 'Rule/shop/r' }),
      approved: { 'Rule/shop/r': decision },
      is: false,
    },
    {
      why: 'not by a decision of nobody',
      object: child({ expired: decision }),
      approved: { '': decision, undefined: decision },
      is: false,
    },
  ])('$why', ({ object, approved, is }) => {
    expect(isDeletionApproved(object, approvals(approved))).toBe(is);
  });
});
