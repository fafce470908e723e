// The scheduler refuses other mount options for a volume that is claimed, and grows it all the same. Who edited both waited for the
// job to end with a full disk.
import { expect, test } from 'vitest';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const mounted = (fsType: string, flag: string) => ({ mountOptions: { fsType, mountFlags: [flag] } });

test('a claimed volume grows while an edit of its mount options waits for the job', async () => {
  const service = await serve('nomad');
  const operated = await Operated.on(service);
  operated.tree.put('data.yaml', volume('data', { pluginID: 'ebs', ...mounted('ext4', 'noatime') }));
  await operated.converge();
  const { ID } = await service.call<{ ID: string }>('POST', '/setup/allocations', {
    JobID: 'db',
    Volumes: [{ ID: 'data' }],
  });
  const edit = { create: { capacity: { min: '20Gi' } }, ...mounted('xfs', 'ro') };
  operated.tree.put('data.yaml', volume('data', { pluginID: 'ebs', ...edit }));
  await operated.apply();
  const read = () => service.call('GET', '/v1/volume/csi/data');
  expect(await read()).toMatchObject({ Capacity: 20 * 2 ** 30, MountOptions: { FSType: 'ext4' } });
  expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({
    reason: 'UpdateBlocked',
    message: expect.stringContaining(ID),
  });
  const { writes } = await service.counters();
  await operated.apply();
  expect((await service.counters()).writes).toBe(writes);
});
