// Two static roles for one entry that were both made before that could be told: the configuration of one named another server then. Each
// ends the password of the other, so one of them publishes a dead one all the time.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Spec } from '../support/manifests.ts';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

const named = (name: string, role: Spec): Spec => ({ ...role, metadata: { namespace: 'shop', name } });
const dn = 'uid=shop,ou=services,dc=example,dc=org';

async function both() {
  const { operated, secrets } = await operating();
  await secrets.call('POST', '/v1/sys/mounts/other', { type: 'ldap' });
  const other = (url: string) => named('other', ldapConfig({ ...admin, url }, { mount: 'other' })[0] ?? {});
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('other.yaml', other('ldap://other.example.com'));
  operated.tree.put('role.yaml', staticRole({ dn }));
  const second = { configRef: { name: 'other' }, dn, onCreate: 'Keep', output: { secretName: 'second' } };
  operated.tree.put('second.yaml', named('second', staticRole(second)));
  await operated.apply();
  operated.tree.put('other.yaml', other(admin.url));
  await operated.apply();
  const published = (name: string) =>
    readFile(join(operated.cwd, '.holdfast/outputs/shop', name, 'password'), 'utf8').catch(() => '');
  const works = async () => [
    await secrets.binds(dn, await published('shop-login')),
    await secrets.binds(dn, await published('second')),
  ];
  const ready = async () => [
    await operated.ready('LDAPStaticRole/shop/shop'),
    await operated.ready('LDAPStaticRole/shop/second'),
  ];
  return { operated, secrets, works, ready };
}

test('two roles of one entry that were both there said Ready, though only one of two published passwords can work', async () => {
  const { operated, secrets, works, ready } = await both();
  for (const role of ['other/rotate-role/second', 'ldap/rotate-role/shop']) {
    await secrets.call('POST', `/v1/${role}`);
    await operated.apply();
    // What the service rotates is published all the same.
    expect(await works()).toEqual(role.startsWith('ldap') ? [true, false] : [false, true]);
    const [shop, second] = await ready();
    for (const one of [shop, second])
      expect(one).toMatchObject({ status: 'False', reason: 'AccountConflict' });
    expect(shop?.message).toContain('LDAPStaticRole/shop/second, too');
    expect(second?.message).toContain('LDAPStaticRole/shop/shop, too');
  }
  operated.tree.remove('second.yaml');
  await operated.converge();
  expect((await ready())[0]).toMatchObject({ status: 'True', reason: 'InSync' });
});
