// A replacement that the provider refused ends with the old disk back, and waits for a person. For as long as that takes, no
// snapshot of the disk is made. The same of a volume that was registered again while an edit of it waits.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf } from './disks.ts';
import { Operated } from './operated.ts';

const patience = { timeout: 120_000 };
const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };

async function refused() {
  const service = await serve('nomad');
  await service.call('POST', '/setup/plugins', {
    ID: 'other',
    Capabilities: ['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME'],
    FailsWith: 'quota exceeded',
  });
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', policies));
  await operated.converge();
  const disk = await diskOf(service, 'data');
  operated.tree.put('data.yaml', volume('data', { ...policies, pluginID: 'other' }));
  await operated.applyApproving();
  expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ reason: 'ReplacementFailed' });
  expect(await diskOf(service, 'data')).toBe(disk);
  return { service, operated, disk };
}

test('backups stopped after a replacement that failed, although the old disk is back', patience, async () => {
  const { service, operated, disk } = await refused();
  operated.tree.put('now.yaml', snapshot('now'));
  await operated.apply();
  await operated.apply();
  expect(await operated.ready('CSISnapshot/shop/now')).toMatchObject({ status: 'True', reason: 'InSync' });
  expect((await service.snapshots()).map(({ sourceID }) => sourceID)).toEqual([disk]);
});

test(
  'backups stopped after a volume was registered again, while an edit of it can not be made',
  patience,
  async () => {
    const service = await serve('nomad');
    const operated = await Operated.on(service);
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('data.yaml', volume('data', policies));
    await operated.converge();
    const disk = await diskOf(service, 'data');
    operated.tree.put('data.yaml', volume('data', { ...policies, pluginID: 'to-be-installed' }));
    await operated.apply();
    expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ reason: 'ReplacementBlocked' });
    operated.tree.put('first.yaml', snapshot('first'));
    await operated.apply();
    expect(await operated.ready('CSISnapshot/shop/first')).toMatchObject({ status: 'True' }); // so far all is well

    await service.call('DELETE', '/v1/volume/csi/data?namespace=default');
    await operated.apply();
    expect(await diskOf(service, 'data')).toBe(disk);
    operated.tree.put('second.yaml', snapshot('second'));
    await operated.apply();
    await operated.apply();
    expect(await operated.ready('CSISnapshot/shop/second')).toMatchObject({
      status: 'True',
      reason: 'InSync',
    });
  },
);
