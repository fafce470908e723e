// Somebody registered another disk under the ID of a declared volume. Before Holdfast has looked, a snapshot is taken of what is
// there by then, and called Ready, although the disk that it was to be of is on record and the plugin tells which one it is of.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf } from './disks.ts';
import { Operated } from './operated.ts';

test('a snapshot of somebody else’s disk was Ready', { timeout: 120_000 }, async () => {
  const service = await serve('nomad');
  await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data'));
  await operated.converge();
  const [disk, other] = [await diskOf(service, 'data'), await diskOf(service, 'other')];

  await service.call('DELETE', '/v1/volume/csi/data?namespace=default');
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
  expect(await diskOf(service, 'data')).toBe(other);
  operated.tree.put('now.yaml', snapshot('now'));
  await operated.apply();
  await operated.apply();
  const taken = await service.snapshots();
  const ready = await operated.ready('CSISnapshot/shop/now');
  expect([taken.map(({ sourceID }) => sourceID), ready?.status], `it was to be of ${disk}`).not.toEqual([
    [other],
    'True',
  ]);
});
