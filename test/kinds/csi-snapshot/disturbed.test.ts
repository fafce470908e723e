// While a snapshot is taken, an allocation is restarted by itself, ends, or comes. It writes, and the snapshot was called consistent.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import { create } from '../../embedded/scheduler/running.ts';
import { worldOn, type World } from '../allocation-action/world.ts';

const about = { key: { kind: 'CSISnapshot', namespace: 'shop', name: 'nightly' }, kind: csiSnapshot };
const run = (what: string) => ({ exec: { task: 'server', command: ['true', what] } });

/** A snapshot that is taken while something happens to the allocation that is frozen for it, or beside it. */
async function takenWhile(happens: (world: World, id: string) => Promise<unknown>, more: object = {}) {
  const hooks = { selector: { job: 'db' }, before: run('freeze'), after: run('thaw'), ...more };
  const world = await worldOn('nomad', { volumeID: 'data', pluginID: 'hostpath', hooks }, about);
  await create(world.service.client, 'data');
  const id = await world.place('db');
  const { lasting } = world.source;
  let isOver = false;
  world.source.lasting = async (what, work) => {
    await lasting(what, work);
    if (isOver || !JSON.stringify(world.status.own ?? '').includes('"frozen":true')) return;
    isOver = true;
    await happens(world, id);
  };
  await world.visit();
  world.service.clock.advance(60_000);
  await world.settle();
  expect(isOver).toBe(true);
  return (['Consistent', 'Ready'] as const).map((type) => {
    const { status, reason, message } = conditionOf(world.status.conditions, type)!;
    return `${status} ${reason} ${message.replace(/[0-9a-f-]{36}/, 'ID')}`.trim();
  });
}

const set = (more: object) => (world: World, id: string) =>
  world.service.client.put(`/setup/allocations/${id}`, more);
const restart = (world: World, id: string) =>
  world.service.client.post(`/v1/client/allocation/${id}/restart`, {});

test.for<readonly [why: string, happens: (world: World, id: string) => Promise<unknown>, says: string]>([
  ['one is restarted', restart, 'allocation ID was restarted while it was frozen'],
  ['one ends', set({ ClientStatus: 'failed' }), 'allocation ID ended while it was frozen'],
  ['one comes', (world) => world.place('db'), 'allocation ID started while the others were frozen'],
])('$0: it is not consistent, and not Ready', async ([, happens, says]) => {
  expect(await takenWhile(happens)).toEqual([
    `False QuiesceDisturbed ${says}`,
    `False QuiesceDisturbed ${says}`,
  ]);
});

test('with Continue it is Ready all the same', async () => {
  const [consistent, ready] = await takenWhile(restart, { onFailure: 'Continue' });
  expect(consistent).toBe('False QuiesceDisturbed allocation ID was restarted while it was frozen');
  expect(ready).toBe('True InSync');
});

test('one of another job comes: that is no disturbance', async () => {
  expect(await takenWhile((world) => world.place('web'))).toEqual(['True Quiesced', 'True InSync']);
});
