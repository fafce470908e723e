// The entry that the engine binds with can't be that of a static role: its first rotation sets a password that the engine does
// not bind with, so that nothing of that engine can be rotated from then on.
import { expect, test } from 'vitest';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

test.for([{ dn: admin.bindDN }, { dn: 'CN=Admin, DC=example, DC=org' }])(
  'a role for $dn, with which the engine binds, locked the engine out of its directory',
  async ({ dn }) => {
    const { operated, secrets } = await operating();
    operated.tree.put('directory.yaml', ...ldapConfig(admin));
    operated.tree.put('role.yaml', staticRole({ username: 'admin', dn }));
    await operated.apply();
    expect(await secrets.binds(admin.bindDN, admin.bindPassword)).toBe(true);
    expect(await operated.ready('LDAPStaticRole/shop/shop')).toMatchObject({
      status: 'False',
      reason: 'RoleOfBindDN',
    });
  },
);

test('a role that is there for the entry with which the engine binds is not rotated on request', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  const role = { username: 'admin', dn: admin.bindDN, adoptionPolicy: 'Adopt' };
  await operated.converge();
  await secrets.call('POST', '/v1/ldap/static-role/shop', {
    username: 'admin',
    dn: admin.bindDN,
    rotation_period: '24h',
    skip_import_rotation: true,
  });
  operated.tree.put('role.yaml', staticRole({ ...role, output: undefined }));
  await operated.apply();
  await operated.command('rotate', 'LDAPStaticRole/shop/shop');
  await operated.apply();
  expect(await secrets.binds(admin.bindDN, admin.bindPassword)).toBe(true);
  expect(await operated.ready('LDAPStaticRole/shop/shop')).toMatchObject({ reason: 'RoleOfBindDN' });
});
