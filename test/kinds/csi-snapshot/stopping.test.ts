// An allocation that was told to stop runs, and writes, until it has ended, which may take as long as its tasks are given. It was not among
// those that are frozen, and the snapshot was called consistent.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import { create } from '../../embedded/scheduler/running.ts';
import { worldOn, type World } from '../allocation-action/world.ts';

const about = { key: { kind: 'CSISnapshot', namespace: 'shop', name: 'nightly' }, kind: csiSnapshot };
const run = (what: string) => ({ exec: { task: 'server', command: ['true', what] } });

async function redeployed() {
  const hooks = { selector: { job: 'db' }, before: run('freeze'), after: run('thaw') };
  const world = await worldOn('nomad', { volumeID: 'data', pluginID: 'hostpath', hooks }, about);
  await create(world.service.client, 'data');
  const [former, present] = [await world.place('db'), await world.place('db')];
  const set = (more: object) => world.service.client.put(`/setup/allocations/${former}`, more);
  await set({ DesiredStatus: 'stop' });
  return { world, former, present, set };
}

const told = ({ status }: World, type: 'Consistent' | 'Ready'): string => {
  const found = conditionOf(status.conditions, type);
  return found ? `${found.status} ${found.reason}` : 'nothing';
};

const executed = ({ service }: World, id: string): readonly string[] =>
  service.server
    .tallies()
    .executed.filter(({ allocation }) => allocation === id)
    .map(({ words: [, what = ''] }) => what);

test('it is frozen and thawed with the others, as long as it runs', async () => {
  const { world, former, present } = await redeployed();
  await world.visit();
  world.service.clock.advance(60_000);
  await world.settle();
  expect(told(world, 'Consistent')).toBe('True Quiesced');
  expect([executed(world, former), executed(world, present)]).toEqual([
    ['freeze', 'thaw'],
    ['freeze', 'thaw'],
  ]);
});

test('once it has ended it is left alone', async () => {
  const { world, former, set } = await redeployed();
  await set({ ClientStatus: 'complete' });
  await world.visit();
  world.service.clock.advance(60_000);
  await world.settle();
  expect([told(world, 'Consistent'), executed(world, former)]).toEqual(['True Quiesced', []]);
});
