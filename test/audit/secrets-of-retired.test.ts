// A disk is registered under its retired ID with the secrets that are declared now, after its deregistration threw away those
// that the scheduler had. Without them, no later call could destroy the disk: it stayed for ever.
import { expect, test } from 'vitest';
import { secret, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, diskOf } from './disks.ts';
import { Operated } from './operated.ts';

const user = { user: { name: 'csi', key: 'user' } };
const token = { token: { name: 'csi', key: 'token' } };
const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };

async function declared() {
  const service = await serve('nomad');
  await service.call('PUT', '/setup/plugins/hostpath', { RequiredSecrets: ['user'] });
  await service.call('PUT', '/setup/plugins/ebs', { RequiredSecrets: ['token'] });
  const operated = await Operated.on(service);
  const put = (spec: object) => operated.tree.put('data.yaml', volume('data', { ...policies, ...spec }));
  const putSecret = () =>
    operated.tree.put('secret.yaml', secret('shop', 'csi', { user: 'admin', token: 'tok' }));
  operated.tree.put('other.yaml', volume('other', { pluginID: 'nfs', register: { externalID: 'x' } }));
  put({ secrets: user });
  putSecret();
  await operated.converge();
  return { service, operated, put, putSecret, disk: await diskOf(service, 'data') };
}

test('a volume that leaves together with its Secret waits for it, registered, and leaves once it is back', async () => {
  const { service, operated, putSecret, disk } = await declared();
  operated.tree.remove('data.yaml');
  operated.tree.remove('secret.yaml');
  await operated.apply();
  expect(await diskOf(service, 'data')).toBe(disk);
  expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({
    reason: 'DeletionBlocked',
    message: expect.stringMatching(/^\/secrets\/user: Secret shop\/csi .*put it back/),
  });
  putSecret();
  await operated.apply();
  expect(await diskIDs(service)).not.toContain(disk);
  expect(await operated.ready('CSIVolume/shop/data')).toBeUndefined();
});

test('a volume is replaced by one of a plugin with other secrets while those of the old one are declared, too', async () => {
  const { service, operated, put, disk } = await declared();
  put({ pluginID: 'ebs', secrets: token });
  await operated.applyApproving();
  expect(await diskOf(service, 'data')).toBe(disk);
  expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ reason: 'ReplacementBlocked' });
  put({ pluginID: 'ebs', secrets: { ...token, ...user } });
  await operated.applyApproving();
  expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ status: 'True' });
  expect(await diskIDs(service)).not.toContain(disk);
});
