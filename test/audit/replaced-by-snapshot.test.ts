// A volume that is to start from a snapshot is to be replaced, and waits for its job. Meanwhile the manifest of the snapshot
// went. The snapshot was destroyed, and so would have been the disk: a new one could never start from it.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };

test.each([
  { how: 'its ID', from: (snapshotID: string) => ({ snapshotID }) },
  { how: 'reference', from: () => ({ snapshotRef: { name: 'before' } }) },
])(
  'a snapshot that a waiting replacement is to start from, by $how, was destroyed',
  { timeout: 180_000 },
  async ({ from }) => {
    const service = await serve('nomad');
    await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
    const operated = await Operated.on(service);
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('data.yaml', volume('data', policies));
    operated.tree.put('before.yaml', snapshot('before', { deletionPolicy: 'Delete' }));
    await operated.converge();
    const [{ id } = { id: '' }] = await service.snapshots();
    const claim = { JobID: 'db', Volumes: [{ ID: 'data' }] };
    const job = await service.call<{ readonly ID: string }>('POST', '/setup/allocations', claim);
    const create = { capacity: { min: '1Gi' }, parameters: { tier: 'quick' }, ...from(id) };
    operated.tree.put('data.yaml', volume('data', { ...policies, create }));
    await operated.apply();
    expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ reason: 'ReplacementBlocked' });
    operated.tree.remove('before.yaml');
    const { stdout } = await operated.applyApproving();
    expect(
      (await service.snapshots()).map((one) => one.id),
      stdout,
    ).toEqual([id]);

    await service.call('PUT', `/setup/allocations/${job.ID}`, { ClientStatus: 'complete' });
    await operated.apply(); // the claim lasts a moment longer than its job
    await operated.converge();
    expect(await service.snapshots()).toEqual([]); // the volume is made from it, and holds it no longer
  },
);
