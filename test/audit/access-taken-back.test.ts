// Access that an administrator takes back: who may not use a volume any more does not read its data by a snapshot of it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { ldapConfig, secretsConnection, serveSecrets, staticRole } from '../support/secrets.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const own = { namespaces: ['shop'], externalNames: ['shop-*'] };

/** A volume of a name to which its tenant has access as yet. */
async function withPayroll() {
  const service = await serve('nomad');
  const operated = await Operated.on(service, { access: [{ namespaces: ['shop'] }] });
  operated.tree.put('payroll.yaml', volume('payroll'));
  await operated.converge();
  return { service, operated };
}

test(
  'a snapshot was taken of a volume that its tenant may not use any more, and its data could be read from that',
  { timeout: 120_000 },
  async () => {
    const { service, operated } = await withPayroll();
    operated.tree.connect(service, { access: [own] });
    await operated.apply();
    expect(await operated.ready('CSIVolume/shop/payroll')).toMatchObject({ reason: 'AccessDenied' });

    const copy = { externalName: 'shop-copy', volumeRef: { name: 'payroll' } };
    operated.tree.put('copy.yaml', snapshot('copy', copy));
    const create = { capacity: { min: '1Gi' }, snapshotRef: { name: 'copy' } };
    operated.tree.put('read.yaml', volume('read', { externalName: 'shop-read', create }));
    await operated.apply();
    await operated.apply();
    expect((await service.volumes()).map(({ ID }) => ID)).toEqual(['payroll']);
    expect(await service.snapshots()).toEqual([]);
  },
);

test(
  'a snapshot was taken of a volume whose access was taken back in the same commit: the volume still said that it was ready',
  { timeout: 120_000 },
  async () => {
    const { service, operated } = await withPayroll();
    operated.tree.connect(service, { access: [own] });
    operated.tree.put(
      'copy.yaml',
      snapshot('copy', { externalName: 'shop-copy', volumeRef: { name: 'payroll' } }),
    );
    await operated.apply();
    expect(await operated.ready('CSIVolume/shop/payroll')).toMatchObject({ reason: 'AccessDenied' });
    expect(await operated.ready('CSISnapshot/shop/copy')).toMatchObject({ reason: 'DependencyNotReady' });
    expect(await service.snapshots()).toEqual([]);
  },
);

test(
  'the next password was published to a tenant whose configuration, and so its mount, it may not use any more',
  { timeout: 120_000 },
  async () => {
    const secrets = await serveSecrets();
    const operated = await Operated.on(await serve());
    const admin = {
      url: 'ldap://embedded',
      bindDN: 'cn=admin,dc=example,dc=org',
      bindPassword: 'holdfast-dev-bind',
    };
    operated.tree.put('secrets.yaml', ...secretsConnection(secrets));
    operated.tree.put('directory.yaml', ...ldapConfig(admin));
    operated.tree.put('role.yaml', staticRole());
    await operated.converge();
    const file = join(operated.cwd, '.holdfast/outputs/shop/shop-login/password');
    const before = await readFile(file, 'utf8');

    const access = [{ namespaces: ['shop'], externalNames: ['shop*'] }]; // the mount is called ldap
    operated.tree.put('secrets.yaml', ...secretsConnection(secrets, { access }));
    await operated.apply();
    expect(await operated.ready('LDAPConfig/shop/directory')).toMatchObject({ reason: 'AccessDenied' });
    await secrets.call('POST', '/v1/ldap/rotate-role/shop', {});
    await operated.apply();
    expect(await readFile(file, 'utf8')).toBe(before);
  },
);
