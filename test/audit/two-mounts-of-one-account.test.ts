// Two engines that bind with one account. Once one of them has rotated its password, nobody can tell the other one the new one.
import { expect, test } from 'vitest';
import type { Spec } from '../support/manifests.ts';
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
