// A volume that is there, and of which only an edit waits for a job, is not Ready: its backups stopped for as long as the job
// ran, and it and its last snapshot waited for each other for good.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf } from './disks.ts';
import { Operated } from './operated.ts';

const policies = { deletionPolicy: 'Delete' };

async function edited() {
  const service = await serve('nomad');
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', policies));
  await operated.converge();
  const { ID } = await service.call<{ ID: string }>('POST', '/setup/allocations', {
    JobID: 'db',
    Volumes: [{ ID: 'data' }],
  });
  operated.tree.put('data.yaml', volume('data', { ...policies, mountOptions: { fsType: 'xfs' } }));
  await operated.apply();
  expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ reason: 'UpdateBlocked' });
  return { service, operated, ID, disk: await diskOf(service, 'data') };
}

test('the snapshots of a volume go on while an edit of its mount options waits for the job', async () => {
  const { service, operated, disk } = await edited();
  const schedule = { schedule: '0 0 1 1 *', volumeRef: { name: 'data' } };
  operated.tree.put('nightly.yaml', { ...snapshot('nightly', schedule), kind: 'CSISnapshotSchedule' });
  operated.tree.put('now.yaml', snapshot('now'));
  await operated.apply();
  expect((await service.snapshots()).map(({ sourceID }) => sourceID)).toEqual([disk]);
  expect(await operated.ready('CSISnapshotSchedule/shop/nightly')).toMatchObject({ status: 'True' });
});

test('such a volume leaves, after the last snapshot of it was taken', async () => {
  const { service, operated, ID, disk } = await edited();
  operated.tree.remove('data.yaml');
  operated.tree.put('last.yaml', snapshot('last'));
  await service.call('PUT', `/setup/allocations/${ID}`, { ClientStatus: 'complete' });
  await operated.apply();
  await operated.apply();
  expect((await service.snapshots()).map(({ sourceID }) => sourceID)).toEqual([disk]);
  expect(await operated.ready('CSIVolume/shop/data')).toBeUndefined();
});
