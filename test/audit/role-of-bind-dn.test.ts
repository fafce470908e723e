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

// Without a DN the service looks for the user, and finds the entry with which it binds.
test.for([
  { why: 'by an attribute that is declared', more: { userDN: 'DC=example, dc=org', userAttr: 'CN' } },
  { why: 'by that of the schema', more: { userDN: 'dc=example,dc=org' } },
])('a role for a user that is found $why as the entry that binds locked the engine out', async ({ more }) => {
  const { operated, secrets } = await operating('secrets');
  operated.tree.put('directory.yaml', ...ldapConfig(admin, more));
  operated.tree.put('role.yaml', staticRole({ username: 'Admin', dn: undefined }));
  await operated.apply();
  expect(await secrets.binds(admin.bindDN, admin.bindPassword)).toBe(true);
  const told = await operated.ready('LDAPStaticRole/shop/shop');
  expect(told).toMatchObject({ status: 'False', reason: 'RoleOfBindDN' });
  expect(told?.message).toMatch(/^\/username: /);
});
