// Finding 2: what was kept is nobody's afterwards. A name that can be derived again took it back.
import { expect, test } from 'vitest';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf, lost, registered } from './disks.ts';
import { Operated } from './operated.ts';

/** A disk that its owner let go and kept, and a state that is lost since. */
async function keptAndForgotten() {
  const service = await serve();
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('orders.yaml', volume('orders', { deletionPolicy: 'Deregister' }));
  await operated.converge();
  const kept = await diskOf(service, 'orders');
  operated.tree.remove('orders.yaml');
  await operated.applyApproving();
  expect(await registered(service)).not.toHaveProperty('orders');
  await operated.loseState();
  operated.tree.remove('other.yaml'); // it would have to be adopted first
  operated.tree.put('another.yaml', volume('another'));
  operated.tree.put('orders.yaml', volume('orders', { deletionPolicy: 'Delete' }));
  await operated.converge();
  return { service, operated, kept };
}

test('after the state was lost, a new volume was made on the disk that an old one had kept', async () => {
  const { service, kept } = await keptAndForgotten();
  expect(await diskOf(service, 'orders')).not.toBe(kept);
});

test('a disk that was kept was destroyed with the volume that was declared after the state was lost', async () => {
  const { service, operated, kept } = await keptAndForgotten();
  operated.tree.remove('orders.yaml');
  await operated.applyApproving();
  expect(await registered(service)).not.toHaveProperty('orders');
  expect(await lost(service, [kept])).toEqual([]);
});

test('replacing A by B and B by A, keeping disks, brought the old contents of A back as if new', async () => {
  const service = await serve();
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  const disks: string[] = [];
  for (const tier of ['a', 'b', 'a']) {
    const create = { capacity: { min: '1Gi' }, parameters: { tier } };
    operated.tree.put('orders.yaml', volume('orders', { replacePolicy: 'WhenUnused', create }));
    await operated.applyApproving();
    disks.push(await diskOf(service, 'orders'));
  }
  expect(new Set(disks).size, disks.join(', ')).toBe(3);
  expect(await lost(service, disks)).toEqual([]);
});

test('after the state was lost, a volume that is there was made anew, or changed, or could not be had again', async () => {
  const service = await serve();
  const operated = await Operated.on(service);
  const names = ['orders', 'other'];
  for (const name of names) operated.tree.put(`${name}.yaml`, volume(name, { deletionPolicy: 'Delete' }));
  await operated.converge();
  const before = await registered(service);
  await operated.loseState();
  await service.resetCounters();
  expect((await operated.apply()).code).toBe(3);

  const listed = await operated.command('adopt');
  for (const name of names) expect(listed.stdout).toMatch(new RegExp(`CSIVolume/shop/${name} +identical`));
  expect((await operated.command('adopt', '--yes')).code).toBe(0);
  await operated.converge();
  expect(await registered(service)).toEqual(before);
  expect(await lost(service, Object.values(before))).toEqual([]);
  expect((await service.counters()).effects).toBe(0);
});
