// A volume that was to be made from a snapshot is edited once more, to start from another snapshot or from none. Nobody told the first
// snapshot, which leaves, that nothing waits for it any more: it stayed until a timer fired.
import { expect, test } from 'vitest';
import type { DeclaredObject } from '../../../src/core/resource.ts';
import { disk, disks } from '../disks.ts';
import { idle, running } from '../running.ts';

interface Case {
  readonly was: string;
  readonly isMade: boolean;
  readonly again: { readonly of?: string };
  readonly more?: Partial<DeclaredObject>;
}

test.for<Case>([
  { was: 'replaced', isMade: true, again: { of: 'c' } },
  { was: 'replaced', isMade: true, again: {} },
  { was: 'made', isMade: false, again: { of: 'c' } },
  { was: 'made', isMade: false, again: {} },
  // A new object under the same name, of which nothing else was told.
  { was: 'made', isMade: false, again: { of: 'c' }, more: { uid: 'uid-anew', generation: 1 } },
])('what leaves is woken where one that was to be $was from it is to be from: $again', async (given) => {
  const { isMade, again, more } = given;
  const { at, outside, declare, leave } = await disks(['a', 'c', 'd', 'e']);
  if (isMade) {
    declare('b', { of: 'a' });
    await at.visit(disk('b'));
    outside.set('b', { disk: 'd5', type: 'ssd', user: 'a job' });
  }
  leave('a');
  at.source.log.length = 0;
  declare('b', { of: 'a', type: 'nvme', waits: true });
  await running(at, () => undefined);
  await idle();
  const deleted = () => at.source.log.filter((line) => line.startsWith('c: delete'));
  expect(deleted()).toEqual([]);
  declare('b', { ...again, type: 'nvme', waits: true }, more);
  at.source.notify(disk('b'), 'edited');
  await idle();
  expect(deleted()).toEqual(['c: delete d1']);
});
