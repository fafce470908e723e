// An object that is deleted while its Secrets are read: whatever the rest of that visit does, nothing holds what it claimed.
import { expect, test } from 'vitest';
import { ApiError } from '../../src/core/errors.ts';
import { conditionOf } from '../../src/core/status/condition.ts';
import { disk, disks } from './disks.ts';
import { idle, running } from './running.ts';

test.for([
  { why: 'its write finds nothing', fail: () => {} },
  {
    why: 'its write fails',
    fail: () => {
      throw new ApiError('refused', 'Rejected', 'not found');
    },
  },
])(
  'what an object claimed that is gone by now is free, and another is made of it: $why',
  async ({ fail }) => {
    const { at, outside, declare } = await disks(['a']);
    const { source } = at;
    const later = async () => {
      for (let passed = 0; passed < 5_000; passed += 50) {
        at.clock.advance(50);
        await idle();
      }
    };
    await running(at, () => undefined);
    await later();

    const read = Promise.withResolvers<void>();
    source.secret = async () => {
      await read.promise;
      return { is: 'missing' };
    };
    declare('first', { named: 'x', waits: true });
    source.notify(disk('first'), 'edited');
    await later();
    source.entries.delete(disk('first'));
    source.notify(disk('first'), 'edited'); // it is gone
    const { lasting } = source;
    source.lasting = async (...write) => {
      if (write[0].key === disk('first')) fail();
      await lasting(...write);
    };
    read.resolve();
    await later();

    declare('second', { named: 'x' });
    source.notify(disk('second'), 'edited');
    await later();
    expect(conditionOf(source.read(disk('second'))?.status.conditions ?? [], 'Ready')?.message).toBe('');
    expect(outside.get('x')).toBeDefined();
  },
);
