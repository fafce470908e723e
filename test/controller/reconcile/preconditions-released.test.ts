// What leaves without its spec being asked. A wrong answer leaves its external object behind, or an object that nobody can delete.
import { expect, test } from 'vitest';
import { released } from '../../../src/controller/reconcile/preconditions.ts';
import type { DeclaredObject } from '../../../src/core/resource.ts';
import { leaf } from '../chain.ts';

const unread: DeclaredObject = {
  key: leaf,
  uid: 'u',
  generation: 1,
  deleting: true,
  held: false,
  requests: {},
  spec: undefined,
};

test.for<{ why: string; change: Partial<DeclaredObject>; because: string | undefined }>([
  { why: 'that stays is asked', change: { deleting: false, held: false }, because: undefined },
  { why: 'that is held is asked', change: { held: true }, because: undefined },
  { why: 'that has a spec is asked', change: { spec: {} }, because: undefined },
  { why: 'with neither has nothing outside', change: {}, because: 'nothing of it was outside' },
  {
    why: 'that a person orphans is not asked, held or not',
    change: { held: true, spec: {}, requests: { 'force-orphan': 'I know' } },
    because: 'orphaned: I know',
  },
  {
    why: 'that stays is no orphan yet',
    change: { deleting: false, requests: { 'force-orphan': 'I know' } },
    because: undefined,
  },
])('who leaves and can’t be read: one $why', ({ change, because }) => {
  const gone = because === undefined ? undefined : { verdict: 'gone', because, removed: false };
  expect(released({ ...unread, ...change })).toEqual(gone);
});
