// Who leaves may be looked at before its heir is. What is said of the heir then is what was known of it, and has to follow it.
import { expect, test } from 'vitest';
import { conditionOf } from '../../src/core/status/condition.ts';
import { disk, disks } from './disks.ts';
import { from, shot, shots } from './shots.ts';
import { idle, running } from './running.ts';

test('one that leaves is looked at again once an heir that only observes was, and says why that one takes nothing over', async () => {
  const { at, declare, leave, sent } = await shots();
  const watch = await running(at, () => undefined);
  watch.complete();
  await idle();
  leave('shop');
  declare('store', { requests: from }, { policy: { management: 'ObserveOnly' } });
  for (const namespace of ['shop', 'store']) at.source.notify(shot(namespace), 'edited');
  await idle();
  const ready = conditionOf(at.source.read(shot('shop'))?.status.conditions ?? [], 'Ready');
  expect(ready?.message).toBe(
    'an object of another namespace is to take it over, and only observes: it could not find it',
  );
  expect(sent()).toEqual([]);
});

/** No more visits are made: they would never end. */
const enough = 200;

test.for([
  { why: 'itself', named: { a: 'a', b: 'b' } },
  { why: 'the other', named: { a: 'b', b: 'a' } },
])(
  'of two that leave, each names $why as what it was: they are not looked at again and again',
  async ({ named }) => {
    const { at, declare } = await disks([], { perHour: 0, percent: 0 });
    const leaving = { held: true, deleting: true };
    for (const [name, movedFrom] of Object.entries(named))
      declare(name, {}, { requests: { 'moved-from': movedFrom }, ...leaving });
    let visits = 0;
    const open = at.source.open.bind(at.source);
    at.source.open = (key) => (++visits > enough ? undefined : open(key));
    const watch = await running(at, () => undefined);
    watch.complete();
    await idle();
    expect(visits).toBeLessThan(enough);
    for (const name of Object.keys(named)) {
      const ready = conditionOf(at.source.read(disk(name))?.status.conditions ?? [], 'Ready');
      expect(ready?.reason).toBe('DeletionLimitExceeded');
    }
  },
);
