// Finding 8: a backup of the state came back. What it held counted as proof, and what it had not seen was asked for again.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import {
  ldapConfig,
  secretsConnection,
  SecretsService,
  serveSecrets,
  staticRole,
} from '../support/secrets.ts';
import { eventually } from '../support/poll.ts';
import { serve } from '../support/service.ts';
import { diskOf, lost } from './disks.ts';
import { Operated } from './operated.ts';

const admin = 'cn=admin,dc=example,dc=org';
const theirs = { url: 'ldap://embedded', bindDN: admin, bindPassword: 'holdfast-dev-bind' };

interface Directory {
  readonly operated: Operated;
  readonly secrets: SecretsService;
}

/** A configuration and a role. Of a connection that loses all that is on it a person would be asked. */
async function directory(): Promise<Directory> {
  const [service, secrets] = await Promise.all([serve(), serveSecrets()]);
  await secrets.call('POST', '/setup/mounts', { path: 'spare', type: 'ldap' });
  const operated = await Operated.on(service);
  operated.tree.put('secrets.yaml', ...secretsConnection(secrets));
  declareConfig(operated, { requestTimeout: '1s' });
  operated.tree.put('role.yaml', staticRole({ deletionPolicy: 'Delete' }));
  const [config = {}] = ldapConfig(theirs, { mount: 'spare', bindDN: 'cn=spare,dc=example,dc=org' });
  operated.tree.put('spare.yaml', { ...config, metadata: { namespace: 'shop', name: 'spare' } });
  await operated.converge();
  return { operated, secrets };
}

function declareConfig(
  operated: Operated,
  more: Spec,
  annotations: Readonly<Record<string, string>> = {},
): void {
  const [config = {}, secret = {}] = ldapConfig(theirs, { deletionPolicy: 'Delete', ...more });
  const metadata = { namespace: 'shop', name: 'directory', annotations };
  operated.tree.put('directory.yaml', { ...config, metadata });
  operated.tree.put('directory-secret.yaml', secret);
}

interface Data {
  readonly data: Readonly<Record<string, unknown>>;
}

test('a role that somebody else made since was deleted by a state from before', async () => {
  const { operated, secrets } = await directory();
  const backup = await operated.backUp();
  operated.tree.remove('role.yaml');
  await operated.applyApproving();
  await expect(secrets.call('GET', '/v1/ldap/static-role/shop')).rejects.toThrow('404');
  await secrets.call('POST', '/v1/ldap/static-role/shop', {
    username: 'billing',
    dn: 'uid=billing,ou=services,dc=example,dc=org',
    rotation_period: '24h',
  });
  await operated.restore(backup);
  await operated.apply();
  const role = await secrets.call<Data>('GET', '/v1/ldap/static-role/shop');
  expect(role.data).toMatchObject({ username: 'billing' });
});

test('a configuration that somebody else made since was deleted by a state from before', async () => {
  const { operated, secrets } = await directory();
  operated.tree.remove('role.yaml');
  await operated.applyApproving();
  const backup = await operated.backUp();
  operated.tree.remove('directory.yaml');
  await operated.applyApproving();
  await secrets.call('POST', '/v1/ldap/config', {
    url: 'ldap://embedded',
    binddn: 'uid=reports,ou=services,dc=example,dc=org',
    bindpass: 'holdfast-dev-reports',
  });
  await operated.restore(backup);
  await operated.apply();
  const config = await secrets.call<Data>('GET', '/v1/ldap/config');
  expect(config.data).toMatchObject({ binddn: 'uid=reports,ou=services,dc=example,dc=org' });
});

test('a disk that was kept and handed to somebody else was destroyed by a state from before', async () => {
  const service = await serve();
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('orders.yaml', volume('orders', { deletionPolicy: 'Delete' }));
  await operated.converge();
  const disk = await diskOf(service, 'orders');
  const backup = await operated.backUp();
  operated.tree.put('orders.yaml', volume('orders', { deletionPolicy: 'Deregister' }));
  await operated.converge();
  operated.tree.remove('orders.yaml');
  await operated.applyApproving();
  await service.call('PUT', '/v1/volume/csi/orders?namespace=default', {
    Volumes: [
      {
        ID: 'orders',
        Name: 'theirs',
        ExternalID: disk,
        PluginID: 'hostpath',
        RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
      },
    ],
  });
  await operated.restore(backup);
  const { stdout } = await operated.apply();
  expect(await lost(service, [disk]), stdout).toEqual([]);
  expect(await diskOf(service, 'orders')).toBe(disk);
});

test('a backup of the state came back, and all was said to be well', async () => {
  const service = await serve();
  const operated = await Operated.on(service);
  const declare = (fsType: string) =>
    operated.tree.put('orders.yaml', volume('orders', { mountOptions: { fsType } }));
  declare('ext4');
  await operated.converge();
  const backup = await operated.backUp();
  declare('xfs');
  await operated.converge();
  await operated.restore(backup);
  const { code, stdout } = await operated.apply();
  expect(code, stdout).not.toBe(0);
});

interface Rotation {
  readonly what: string;
  readonly ask: (operated: Operated) => Promise<unknown> | void;
  readonly count: (secrets: SecretsService) => Promise<number>;
  /** The request is in the backup already, and its answer is not. */
  readonly asked?: true;
}

const rotations: readonly Rotation[] = [
  {
    what: 'a rotate in the manifest',
    ask: ({ tree }) =>
      tree.put('role.yaml', staticRole({ deletionPolicy: 'Delete' }, { 'holdfast.dev/rotate': 'june' })),
    count: (secrets) => secrets.rotations('shop'),
  },
  {
    what: 'a rotate by command',
    ask: (operated) => operated.command('rotate', 'LDAPStaticRole/shop/shop'),
    count: (secrets) => secrets.rotations('shop'),
    asked: true,
  },
  {
    what: 'a rotate-root in the manifest',
    ask: (operated) =>
      declareConfig(operated, { requestTimeout: '1s' }, { 'holdfast.dev/rotate-root': 'june' }),
    count: async (secrets) => (await secrets.counters()).rootRotations['ldap'] ?? 0,
  },
];

test.each(rotations)(
  '$what was carried out once more by a state from before',
  async ({ ask, count, asked }) => {
    const { operated, secrets } = await directory();
    if (asked) await ask(operated);
    const backup = await operated.backUp();
    if (!asked) await ask(operated);
    const before = await count(secrets);
    const { stdout } = await operated.apply();
    expect(await count(secrets), stdout).toBe(before + 1);
    await operated.restore(backup);
    await operated.apply();
    expect(await count(secrets)).toBe(before + 1);
  },
);

test('state.sqlite alone, copied from a running process, was a state in which nothing is declared', async () => {
  const service = await serve();
  const operated = await Operated.on(service);
  operated.tree.put('orders.yaml', volume('orders', { deletionPolicy: 'Delete' }));
  operated.run();
  await eventually('all is made', async () => {
    return (await operated.ready('CSIVolume/shop/orders'))?.status === 'True';
  });
  const copy = await operated.copyAlone('state.sqlite');
  const { code, stdout } = await operated.command('get', '--output', 'json', '--state-dir', copy);
  const isWhole = stdout.includes('"orders"') && code === 0;
  expect(isWhole || code !== 0, `${join(copy, 'state.sqlite')}: exit code ${code}, ${stdout}`).toBe(true);
});
