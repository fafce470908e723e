// Finding 6: one scheduler under two addresses was two, and what is declared on one of them was free to take on the other.
import { expect, test } from 'vitest';
import { connection, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf, lost } from './disks.ts';
import { Operated } from './operated.ts';

/** A volume that is declared, and somebody else who wants it by way of another address of the same scheduler. */
async function wantedTwice() {
  const service = await serve();
  const operated = await Operated.on(service);
  const url = service.url.replace('127.0.0.1', 'localhost');
  operated.tree.put('elsewhere.yaml', {
    ...connection({ url, dialect: service.dialect }),
    metadata: { name: 'elsewhere' },
  });
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('more.yaml', volume('more', { connectionRef: { name: 'elsewhere' } }));
  operated.tree.put('orders.yaml', volume('orders', { deletionPolicy: 'Delete' }));
  await operated.converge();
  const taking = { connectionRef: { name: 'elsewhere' }, externalName: 'orders', adoptionPolicy: 'Adopt' };
  operated.tree.put('taker.yaml', volume('taker', { ...taking, deletionPolicy: 'Delete' }));
  const ended = await operated.apply();
  return { service, operated, ended, disk: await diskOf(service, 'orders') };
}

test('a volume that is declared was taken by another object, through another address of its scheduler', async () => {
  const { operated, ended } = await wantedTwice();
  expect(ended.code, ended.stdout).toBe(3);
  expect(await operated.ready('CSIVolume/shop/taker')).toMatchObject({ status: 'False' });
  expect(await operated.ready('CSIVolume/shop/orders')).toMatchObject({ status: 'True' });
});

test('the second object to name a volume left, and with it the disk of the first', async () => {
  const { service, operated, disk } = await wantedTwice();
  operated.tree.remove('taker.yaml');
  const { stdout } = await operated.applyApproving();
  expect(await lost(service, [disk]), stdout).toEqual([]);
  expect(await diskOf(service, 'orders')).toBe(disk);
  expect(await operated.ready('CSIVolume/shop/orders')).toMatchObject({ status: 'True' });
});
