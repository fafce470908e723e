// The scheduler came back from a backup, in which another disk had the ID of a volume. Where the declaration said Adopt, that one was
// taken over within seconds, and nobody knew of the disk with the data any more.
import { expect, test } from 'vitest';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, diskOf, registered } from './disks.ts';
import { Operated } from './operated.ts';

const id = '/v1/volume/csi/data?namespace=default';

/** `data` is on the disk of `other`, and its own is registered nowhere. */
async function restored() {
  const service = await serve();
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', { adoptionPolicy: 'Adopt' }));
  await operated.converge();
  const [ours, theirs] = [await diskOf(service, 'data'), await diskOf(service, 'other')];
  await service.call('DELETE', id);
  const RequestedCapabilities = [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }];
  const more = { Name: 'of before', Namespace: 'default', PluginID: 'hostpath', RequestedCapabilities };
  await service.call('PUT', id, { Volumes: [{ ID: 'data', ExternalID: theirs, ...more }] });
  await operated.apply();
  expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({
    reason: 'AdoptionRefused',
    message: expect.stringContaining(`${ours} is not registered here any more`),
  });
  return { service, operated, ours, theirs };
}

test('the disk with the data was forgotten for the one of the backup', { timeout: 180_000 }, async () => {
  const { service, operated, ours } = await restored();
  await service.call('DELETE', id);
  await operated.converge();
  expect(await registered(service)).toHaveProperty('data', ours);
});

test('who wants the disk of the backup says so', { timeout: 180_000 }, async () => {
  const { service, operated, ours, theirs } = await restored();
  await operated.command('adopt', '--yes');
  await operated.converge();
  expect(await registered(service)).toHaveProperty('data', theirs);
  expect(await diskIDs(service)).toContain(ours);
});
