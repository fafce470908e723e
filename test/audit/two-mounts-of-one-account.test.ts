// Two engines that bind with one account. Once one of them has rotated its password, nobody can tell the other one the new one.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secret, type Spec } from '../support/manifests.ts';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

const key = 'LDAPConfig/shop/directory';

/** A second mount, with a role. */
async function both(more: Spec) {
  const { operated, secrets } = await operating();
  await secrets.call('POST', '/v1/sys/mounts/other', { type: 'ldap' });
  const [other = {}] = ldapConfig(admin, { mount: 'other', ...more });
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('other.yaml', { ...other, metadata: { namespace: 'shop', name: 'other' } });
  operated.tree.put('role.yaml', staticRole({ configRef: { name: 'other' } }));
  await operated.converge();
  await operated.command('rotate', key);
  await operated.apply();
  const rotates = () => secrets.call('POST', '/v1/other/rotate-role/shop').then(() => true);
  return { operated, rotates };
}

test('rotate-root of one locked the other out of the directory for good, and both said Ready', async () => {
  const { operated, rotates } = await both({ bindDN: admin.bindDN.toUpperCase() });
  expect(await rotates()).toBe(true);
  const told = await operated.ready(key);
  expect(told).toMatchObject({ status: 'False', reason: 'AccountShared' });
  expect(told?.message).toContain('it would lock out LDAPConfig/shop/other');
  expect(await operated.ready('LDAPConfig/shop/other')).toMatchObject({ status: 'True' });
  operated.tree.remove('role.yaml');
  operated.tree.remove('other.yaml');
  await operated.apply();
  await operated.converge();
  const { stdout } = await operated.command('describe', key);
  expect(stdout).toMatch(/RootPasswordOwned +True/);
});

const dn = 'uid=shop,ou=services,dc=example,dc=org';
const known = 'holdfast-dev-shop';

/** A second mount binds with the account of the role. */
async function bindingAsShop() {
  const { operated, secrets } = await operating();
  await secrets.call('POST', '/v1/sys/mounts/other', { type: 'ldap' });
  const [other = {}] = ldapConfig(
    { ...admin, bindDN: 'UID=Shop, ou=services,dc=example,dc=org' },
    { mount: 'other', bindPasswordSecretRef: { name: 'other', key: 'password' } },
  );
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('other.yaml', { ...other, metadata: { namespace: 'shop', name: 'other' } });
  operated.tree.put('password.yaml', secret('shop', 'other', { password: known }));
  await operated.converge();
  return { operated, secrets };
}

test('a new role ended the password with which another mount binds, and both said Ready', async () => {
  const { operated, secrets } = await bindingAsShop();
  operated.tree.put('role.yaml', staticRole());
  await operated.apply();
  const told = await operated.ready('LDAPStaticRole/shop/shop');
  expect(await secrets.binds(dn, known)).toBe(true);
  expect(told).toMatchObject({ status: 'False', reason: 'AccountShared' });
  expect(told?.message).toContain('it would lock out LDAPConfig/shop/other');
  operated.tree.remove('other.yaml');
  await operated.apply();
  await operated.converge();
  expect(await secrets.rotations('shop')).toBe(1);
});

test.for([
  { why: 'that kept its password', role: { onCreate: 'Keep' } },
  { why: 'that was taken over, and names no entry', role: { adoptionPolicy: 'Adopt', dn: undefined } },
])('a rotation of a role $why ended the password with which another mount binds', async ({ role }) => {
  const { operated, secrets } = await bindingAsShop();
  const there = { username: 'shop', dn, rotation_period: '24h', skip_import_rotation: true };
  if (role.adoptionPolicy) await secrets.call('POST', '/v1/ldap/static-role/shop', there);
  operated.tree.put('role.yaml', staticRole(role));
  await operated.apply();
  await operated.command('rotate', 'LDAPStaticRole/shop/shop');
  await operated.apply();
  const told = await operated.ready('LDAPStaticRole/shop/shop');
  expect([await secrets.binds(dn, known), told?.reason]).toEqual([true, 'AccountShared']);
  // What the service rotates by itself is published all the same.
  await secrets.call('POST', '/v1/ldap/rotate-role/shop');
  await operated.apply();
  const published = await readFile(join(operated.cwd, '.holdfast/outputs/shop/shop-login/password'), 'utf8');
  expect([await secrets.binds(dn, published), await secrets.rotations('shop')]).toEqual([true, 1]);
  operated.tree.remove('other.yaml');
  await operated.apply();
  await operated.converge();
  expect(await secrets.rotations('shop')).toBe(2);
});

test('a role that publishes the password with which another mount binds waited for that mount, and that mount for the role', async () => {
  const { operated, secrets } = await operating();
  await secrets.call('POST', '/v1/sys/mounts/other', { type: 'ldap' });
  const published = { mount: 'other', bindPasswordSecretRef: { name: 'shop-login', key: 'password' } };
  const [other = {}] = ldapConfig({ ...admin, bindDN: dn }, published);
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('other.yaml', { ...other, metadata: { namespace: 'shop', name: 'other' } });
  operated.tree.put('role.yaml', staticRole());
  const apply = () =>
    operated.command('apply', 'tree', '--secrets-dir', '.holdfast/outputs', '--timeout', '20');
  await mkdir(join(operated.cwd, '.holdfast/outputs'), { recursive: true });
  await apply();
  const { stdout, stderr, code } = await apply();
  expect([code, await secrets.rotations('shop')], stdout + stderr).toEqual([0, 1]);
  await operated.command('rotate', 'LDAPStaticRole/shop/shop');
  const rotated = await apply();
  expect([rotated.code, await secrets.rotations('shop')], rotated.stdout).toEqual([0, 2]);
});
