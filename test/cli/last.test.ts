// The last column of tables: what was done, and how it stands.
import { expect, test } from 'vitest';
import { lastOf } from '../../src/cli/output/show.ts';

test.for([
  { done: ['create a'], message: '', says: 'create a' },
  { done: [], message: '', says: '' },
  { done: [], message: 'no such plugin', says: 'no such plugin' },
  { done: ['create a', 'grow a'], message: 'not confirmed yet', says: 'create a; grow a; not confirmed yet' },
  { done: ['exec 1', 'end: 1 failed'], message: '1 failed', says: 'exec 1; end: 1 failed' },
])('what happened is said once, though the condition says it, too: $says', ({ done, message, says }) => {
  expect(lastOf({ done, message })).toBe(says);
});
