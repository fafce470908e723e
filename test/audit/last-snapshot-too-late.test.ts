// The provider fails to destroy the disk of a volume that left, so for hours it is half way. Somebody declares a last snapshot of
// it, to be on the safe side. From then on the volume waits for the snapshot, and the snapshot for the volume, for ever.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, diskOf } from './disks.ts';
import { Operated } from './operated.ts';

test('a volume and its last snapshot waited for each other', { timeout: 180_000 }, async () => {
  const service = await serve('nomad');
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Delete' }));
  await operated.converge();
  const disk = await diskOf(service, 'data');
  await service.call('PUT', '/setup/plugins/hostpath', { FailsWith: 'backend is down' });
  operated.tree.remove('data.yaml');
  await operated.apply();
  expect(await diskIDs(service)).toContain(disk);
  operated.tree.put('last.yaml', snapshot('last'));
  await operated.apply();
  await service.call('PUT', '/setup/plugins/hostpath', { FailsWith: '' });
  await operated.apply();
  await operated.apply();
  const { stdout } = await operated.apply();
  const [left, last] = [
    await operated.ready('CSIVolume/shop/data'),
    await operated.ready('CSISnapshot/shop/last'),
  ];
  expect(left === undefined || last?.status === 'True', stdout).toBe(true);
});
