// Directories take a DN in any letter case, and with spaces around its separators. What differs in that alone is the same entry.
import { expect, test } from 'vitest';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

const spaced = 'UID=shop, OU=services, DC=example, DC=org';

test('a role whose DN is written otherwise than declared was refused as that of another account', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  await operated.converge();
  await secrets.call('POST', '/v1/ldap/static-role/shop', {
    username: 'shop',
    dn: spaced,
    rotation_period: '24h',
  });
  operated.tree.put('role.yaml', staticRole({ adoptionPolicy: 'AdoptIfIdentical' }));
  await operated.apply();
  expect(await operated.ready('LDAPStaticRole/shop/shop')).toMatchObject({ status: 'True' });
  expect(await secrets.rotations('shop')).toBe(1);
});

test('a bind DN written otherwise than declared kept rotate-root from being done', async () => {
  const { operated, secrets } = await operating();
  const spelt = { ...admin, bindDN: 'CN=admin, DC=example, DC=org' };
  await secrets.call('POST', '/v1/ldap/config', {
    url: admin.url,
    binddn: admin.bindDN,
    bindpass: admin.bindPassword,
  });
  const config = { adoptionPolicy: 'AdoptIfIdentical', drift: { mode: 'Warn' } };
  operated.tree.put('directory.yaml', ...ldapConfig(spelt, config));
  await operated.converge();
  expect((await operated.command('rotate', 'LDAPConfig/shop/directory')).code).toBe(0);
  await operated.converge();
  expect((await secrets.counters()).rootRotations).toEqual({ ldap: 1 });
});
