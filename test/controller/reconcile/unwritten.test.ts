// In a cluster the first intent is kept beside the status. When the status is stripped, the object is seen with what that intent
// says, which may be just what there is to say.
import { expect, test } from 'vitest';
import { disk, disks } from '../disks.ts';

test.for<{ why: string; stripped: boolean; says: readonly string[] }>([
  { why: 'a status that is stored as it should be is not written again', stripped: false, says: [] },
  {
    why: 'a status that was stripped is written, though nothing new is to be said',
    stripped: true,
    says: ['status'],
  },
])('$why', async ({ stripped, says }) => {
  const { at, declare, outside } = await disks([], { perHour: 100, percent: 100 });
  outside.set('a', { disk: 'd1', type: 'ssd' });
  declare('a', { type: 'ssd' });
  await at.visit('Conn/c');
  await at.visit(disk('a'));
  const entry = at.source.entries.get(disk('a'));
  if (!entry) throw new Error('the source does not know it');
  if (stripped) at.source.entries.set(disk('a'), { ...entry, object: { ...entry.object, unwritten: true } });
  at.source.log.length = 0;
  await at.visit(disk('a'));
  expect(at.source.log.flatMap((line) => /^status/.exec(line) ?? [])).toEqual(says);
});
