// The identity is evidence of a deletion. One that is longer than the status holds was refused by the API server for good.
import { expect, test } from 'vitest';
import { statusSchema } from '../../../src/core/status/status.ts';
import { firstStep, recorded } from './situation.ts';

const removedBy = (dn: string, username = 'app') => {
  const { intent } = firstStep({
    spec: { username, dn },
    role: { username, dn },
    memory: { ...recorded, identity: `${username} as ${dn}` },
    deleting: true,
    policy: { deletion: 'Delete' },
  });
  expect(() => statusSchema.shape.pending.parse(intent)).not.toThrow();
  return intent?.evidence?.['removed'];
};
const long = (end: string) => `uid=${'x'.repeat(1_024 - 4 - end.length)}${end}`;

test('the longest that may be declared fits, and another entry at the end is another role', () => {
  const user = 'u'.repeat(256);
  const found = removedBy(long(',dc=a'), user);
  expect(removedBy(long(',dc=a'), user)).toBe(found);
  expect(removedBy(long(',dc=b'), user)).not.toBe(found);
});

test('what fits is recorded as it is', () => {
  expect(removedBy('uid=app,dc=example,dc=org')).toBe(recorded.identity);
});
