// Half way through its deletion a volume is registered nowhere, and its ID is free. It says that it is Ready for the snapshot that is
// declared of it; that is taken of whatever has the ID by then, and the disk that it was to be of is destroyed.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, diskOf } from './disks.ts';
import { Operated } from './operated.ts';

test('a disk was destroyed after a last snapshot that is of another disk', { timeout: 180_000 }, async () => {
  const service = await serve('nomad');
  await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Delete' }));
  await operated.converge();
  const [disk, other] = [await diskOf(service, 'data'), await diskOf(service, 'other')];
  await service.call('PUT', '/setup/plugins/hostpath', { FailsWith: 'backend is down' });
  operated.tree.remove('data.yaml');
  await operated.apply();
  expect(await diskIDs(service)).toContain(disk); // let go of, and not destroyed
  await service.call('PUT', '/setup/plugins/hostpath', { FailsWith: '' });
  await service.call('PUT', '/v1/volume/csi/data?namespace=default', {
    Volumes: [
      {
        ID: 'data',
        Name: 'theirs',
        Namespace: 'default',
        PluginID: 'hostpath',
        ExternalID: other,
        RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
      },
    ],
  });
  operated.tree.put('last.yaml', snapshot('last'));
  await operated.apply();
  await operated.apply();
  const { stdout } = await operated.apply();
  const sources = (await service.snapshots()).map(({ sourceID }) => sourceID);
  const isThere = (await diskIDs(service)).includes(disk);
  expect(
    isThere || sources.includes(disk),
    `snapshots of ${sources.join()}; ${disk} was destroyed\n${stdout}`,
  ).toBe(true);
});
