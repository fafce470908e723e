// What is only observed is never held, and others may use it. So it is protected before its status says that it is there, or it
// could be deleted from under what was made with it.
import { expect, test } from 'vitest';
import { disk, disks } from '../disks.ts';

const observed = { management: 'ObserveOnly' };

/** What a visit to disk a wrote to the source. */
async function written(policy: object, entry: object = {}) {
  const { at, declare, outside } = await disks([], { perHour: 100, percent: 100 });
  outside.set('a', { disk: 'd1', type: 'ssd' });
  declare('a', { type: 'ssd', policy }, entry);
  await at.visit('Conn/c');
  at.source.log.length = 0;
  const { ending } = (await at.visit(disk('a'))) ?? {};
  const lines = at.source.log.filter((line) => /^(?:hold|protect|release|status)/.test(line));
  return { ending, lines, at };
}

test('it is protected before anything is written of it, and once', async () => {
  const { lines, at } = await written(observed);
  expect(lines).toEqual([`protect ${disk('a')}`, 'status rest']);
  at.source.log.length = 0;
  await at.visit(disk('a'));
  expect(at.source.log.filter((line) => line.startsWith('protect'))).toEqual([]);
});

test.for<{ why: string; policy: object; entry: object }>([
  { why: 'what may be changed: it is held before that', policy: {}, entry: {} },
  { why: 'what is held from before', policy: observed, entry: { held: true } },
  { why: 'what is being deleted', policy: observed, entry: { deleting: true } },
])('not protected is $why', async ({ policy, entry }) => {
  const { lines } = await written(policy, entry);
  expect(lines).not.toContain(`protect ${disk('a')}`);
});
