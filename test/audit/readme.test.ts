// What the README says about destroying, and no finding was about: what is kept unless said otherwise, whose it is, and what
// a copied state may do.
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import { ldapConfig, secretsConnection, serveSecrets, staticRole } from '../support/secrets.ts';
import { serve, type Service } from '../support/service.ts';
import { diskIDs, diskOf, lost, registered } from './disks.ts';
import { Operated } from './operated.ts';

const capabilities = [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }];
const path = (id: string) => `/v1/volume/csi/${id}`;

/** Two volumes, one of which is about to go with its disk, unless `spec` says otherwise. */
async function declared(spec: Spec = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' }) {
  const service = await serve();
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other', { deletionPolicy: 'Delete' }));
  operated.tree.put('orders.yaml', volume('orders', spec));
  await operated.converge();
  return { service, operated, disk: await diskOf(service, 'orders') };
}

test('a volume of which nothing was said was replaced, or left, and its disk was destroyed', async () => {
  const { service, operated, disk } = await declared({});
  const create = { capacity: { min: '1Gi' }, parameters: { tier: 'quick' } };
  operated.tree.put('orders.yaml', volume('orders', { create }));
  await operated.applyApproving();
  expect(await diskOf(service, 'orders')).toBe(disk);
  operated.tree.remove('orders.yaml');
  await operated.applyApproving();
  expect((await operated.objects()).has('CSIVolume/shop/orders')).toBe(false);
  expect(await lost(service, [disk])).toEqual([]);
  expect(await diskOf(service, 'orders')).toBe(disk);
});

test('a configuration and a role of which nothing was said left, and were deleted', async () => {
  const [service, secrets] = await Promise.all([serve(), serveSecrets()]);
  const operated = await Operated.on(service);
  const at = {
    url: 'ldap://embedded',
    bindDN: 'cn=admin,dc=example,dc=org',
    bindPassword: 'holdfast-dev-bind',
  };
  operated.tree.put('secrets.yaml', ...secretsConnection(secrets));
  operated.tree.put('directory.yaml', ...ldapConfig(at));
  operated.tree.put('role.yaml', staticRole());
  await operated.converge();
  const passwords = await secrets.rotations('shop');
  operated.tree.remove('role.yaml');
  operated.tree.remove('directory.yaml');
  await operated.applyApproving();
  expect((await operated.objects()).has('LDAPStaticRole/shop/shop')).toBe(false);
  expect(await secrets.call('GET', '/v1/ldap/static-role/shop')).toMatchObject({
    data: { username: 'shop' },
  });
  expect(await secrets.call('GET', '/v1/ldap/config')).toMatchObject({ data: { binddn: at.bindDN } });
  expect(await secrets.rotations('shop')).toBe(passwords);
});

/** Somebody takes the name for a disk of his own. */
async function taken(service: Service): Promise<string> {
  await service.call('DELETE', `${path('orders')}?namespace=default`);
  const one = { ID: 'orders', Name: 'theirs', PluginID: 'hostpath', RequestedCapabilities: capabilities };
  await service.call('PUT', `${path('orders')}/create?namespace=default`, { Volumes: [one] });
  return diskOf(service, 'orders');
}

test.each(['left', 'was to be replaced'])(
  'somebody else’s volume stood under the name of one that %s, and its disk was destroyed',
  async (what) => {
    const { service, operated, disk } = await declared();
    const theirs = await taken(service);
    const create = { capacity: { min: '1Gi' }, parameters: { tier: 'quick' } };
    if (what === 'left') operated.tree.remove('orders.yaml');
    else {
      const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
      operated.tree.put('orders.yaml', volume('orders', { ...policies, create }));
    }
    const { stdout } = await operated.applyApproving();
    expect(await lost(service, [disk, theirs]), stdout).toEqual([]);
    expect(await diskOf(service, 'orders'), stdout).toBe(theirs);
  },
);

test.each(['left', 'was to be replaced'])(
  'a disk that was registered a second time was destroyed with the volume that %s',
  async (what) => {
    const { service, operated, disk } = await declared();
    const one = { Name: 'copy', PluginID: 'hostpath', ExternalID: disk, RequestedCapabilities: capabilities };
    await service.call('PUT', `${path('copy')}?namespace=default`, { Volumes: [{ ID: 'copy', ...one }] });
    const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
    const create = { capacity: { min: '1Gi' }, parameters: { tier: 'quick' } };
    if (what === 'left') operated.tree.remove('orders.yaml');
    else operated.tree.put('orders.yaml', volume('orders', { ...policies, create }));
    const { code, stdout } = await operated.applyApproving();
    expect(await lost(service, [disk]), stdout).toEqual([]);
    expect(await diskOf(service, 'copy')).toBe(disk);
    expect(code).toBe(3);

    await service.call('DELETE', `${path('copy')}?namespace=default`);
    await operated.applyApproving();
    expect(await lost(service, [disk])).toEqual([disk]);
  },
);

test('a state that was copied to another place destroyed what had left there, before anybody said so', async () => {
  const { service, operated, disk } = await declared();
  const copy = await operated.copied();
  copy.tree.remove('orders.yaml');
  const { code, stdout } = await copy.apply();
  expect(await lost(service, [disk]), stdout).toEqual([]);
  expect(await diskOf(service, 'orders')).toBe(disk);
  expect(code, stdout).toBe(3);
  expect(await diskIDs(service)).toHaveLength(2);

  const { stderr } = await copy.command('get');
  const [, digest = ''] = /holdfast approve (\w+)/.exec(stderr) ?? [];
  expect((await copy.command('approve', digest)).code).toBe(0);
  await copy.apply();
  expect(await registered(service)).not.toHaveProperty('orders');
  expect(await lost(service, [disk])).toEqual([disk]);
});

test('all volumes left at once, kept or not, and something was done before anybody said that it was meant', async () => {
  const service = await serve();
  const operated = await Operated.on(service);
  for (const deletionPolicy of ['Retain', 'Deregister', 'Delete'])
    operated.tree.put(`${deletionPolicy}.yaml`, volume(deletionPolicy.toLowerCase(), { deletionPolicy }));
  await operated.converge();
  const before = await registered(service);
  await service.resetCounters();
  for (const deletionPolicy of ['Retain', 'Deregister', 'Delete'])
    operated.tree.remove(`${deletionPolicy}.yaml`);
  const { code, stdout } = await operated.apply();
  expect((await service.counters()).writes, stdout).toBe(0);
  expect(code).toBe(3);
  await operated.applyApproving();
  expect(Object.keys(await registered(service))).toEqual(['retain']);
  expect(await lost(service, Object.values(before))).toEqual([before['delete']]);
});
