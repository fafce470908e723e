// An API server that is busy says when it wants to be asked again. What it refuses to write (a finalizer, a status) was tried again
// at once, and again, by each object: it is busy with that then.
import { expect, test } from 'vitest';
import { ApiError } from '../../src/core/errors.ts';
import { disk, disks } from './disks.ts';
import { idle, running } from './running.ts';

test('what can not be written is tried again no earlier than the source wants to be asked', async () => {
  const { at, declare } = await disks(['a']);
  const { lasting } = at.source;
  let tries = 0;
  at.source.lasting = (write, work) => {
    if (write.key !== disk('a')) return lasting(write, work);
    tries++;
    const message = 'disks.status: TooManyRequests';
    return Promise.reject(new ApiError('throttled', 'Throttled', message, { retryAfterMs: 30_000 }));
  };
  declare('a', { type: 'nvme' });
  await running(at, () => undefined);
  const before = tries;
  expect(before).toBeGreaterThan(0);
  at.clock.advance(29_000);
  await idle();
  expect(tries).toBe(before);
  at.source.lasting = lasting;
  at.clock.advance(1_000);
  await idle();
  expect(at.source.read(disk('a'))?.status.applied['/type']).toBe('nvme');
});
