// A volume that is not there leaves beside a last snapshot that is declared of it. The snapshot can never be taken, and each waited for
// the other for good.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, diskOf } from './disks.ts';
import { Operated } from './operated.ts';

const left = async (operated: Operated) => {
  await operated.applyApproving();
  const { stdout } = await operated.applyApproving();
  const keys = [...(await operated.objects()).keys()];
  expect(keys, stdout).not.toContain('CSIVolume/shop/data');
  expect(await operated.ready('CSISnapshot/shop/last'), stdout).toMatchObject({
    message: '/volumeRef: CSIVolume/shop/data does not exist',
  });
};

test(
  'an observed volume that was never there stayed for a snapshot of it',
  { timeout: 120_000 },
  async () => {
    const service = await serve('nomad');
    const operated = await Operated.on(service);
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('data.yaml', volume('data', { managementPolicy: 'ObserveOnly' }));
    operated.tree.put('last.yaml', snapshot('last'));
    await operated.apply();
    expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ reason: 'ExternalNotFound' });
    operated.tree.remove('data.yaml');
    await left(operated);
  },
);

test('a volume whose disk was lost stayed for a snapshot of it', { timeout: 120_000 }, async () => {
  const service = await serve('nomad');
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Delete' }));
  await operated.converge();
  const disk = await diskOf(service, 'data');
  await service.call('DELETE', '/v1/volume/csi/data/delete?namespace=default');
  expect(await diskIDs(service)).not.toContain(disk);
  await operated.apply();
  expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ status: 'False' });
  operated.tree.remove('data.yaml');
  operated.tree.put('last.yaml', snapshot('last'));
  await left(operated);
});
