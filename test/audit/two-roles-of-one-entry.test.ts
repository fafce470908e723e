// Two static roles for one entry end each other's password: each sets one of its own, whenever its own period is over. The
// service refuses that for one user name of one mount only.
import { expect, test } from 'vitest';
import { ldapConfig, secretsConnection, staticRole } from '../support/secrets.ts';
import type { Spec } from '../support/manifests.ts';
import { admin, operating } from './embedded-directory.ts';
import type { Operated } from './operated.ts';

const named = (name: string, role: Spec): Spec => ({ ...role, metadata: { namespace: 'shop', name } });

test('two roles of two mounts for one entry both said Ready, and the first published a dead password', async () => {
  const { operated, secrets } = await operating();
  await secrets.call('POST', '/v1/sys/mounts/other', { type: 'ldap' });
  const [config] = ldapConfig(admin, { mount: 'other' });
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('other.yaml', named('other', config ?? {}));
  operated.tree.put('role.yaml', staticRole());
  await operated.converge();
  const dn = 'UID=shop, ou=services,dc=example,dc=org';
  operated.tree.put(
    'second.yaml',
    named('second', staticRole({ configRef: { name: 'other' }, dn, output: { secretName: 'second' } })),
  );
  await operated.apply();
  expect((await secrets.counters()).rotations).toEqual({ 'ldap/shop': 1 });
  const second = await operated.ready('LDAPStaticRole/shop/second');
  expect(second).toMatchObject({ status: 'False', reason: 'AccountConflict' });
  expect(second?.message).toContain('LDAPStaticRole/shop/shop');
  expect(await operated.ready('LDAPStaticRole/shop/shop')).toMatchObject({ status: 'True' });
});

const second = (dn: string, more: Spec = {}): Spec =>
  named('second', staticRole({ username: 'till', dn, output: { secretName: 'second' }, ...more }));
const entry = 'uid=shop,ou=services,dc=example,dc=org';
const readyOf = async (operated: Operated, name: string) =>
  (await operated.ready(`LDAPStaticRole/shop/${name}`))?.reason;

test('of two that are declared at once, in one mount under two user names, one is made, whichever is visited first', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('roles.yaml', staticRole(), second(entry));
  await operated.apply();
  await operated.apply();
  expect((await secrets.counters()).rotations).toEqual({ 'ldap/second': 1 }); // the first by name
  expect([await readyOf(operated, 'second'), await readyOf(operated, 'shop')]).toEqual([
    'InSync',
    'AccountConflict',
  ]);
  operated.tree.put('roles.yaml', staticRole()); // the role itself stays, and nobody declares it any more
  await operated.converge();
  expect(await readyOf(operated, 'shop')).toBe('InSync');
});

test('one that is there goes on, though another one of a name before its own is declared later', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('role.yaml', staticRole());
  await operated.converge();
  operated.tree.put('second.yaml', second(entry));
  await operated.apply();
  expect([await readyOf(operated, 'second'), await readyOf(operated, 'shop')]).toEqual([
    'AccountConflict',
    'InSync',
  ]);
  expect((await secrets.counters()).rotations).toEqual({ 'ldap/shop': 1 });
});

test('one that may not use the connection keeps nobody from the entry', async () => {
  const { operated, secrets } = await operating();
  const access = [{ namespaces: ['*'], externalNames: ['ldap', 'shop'] }];
  operated.tree.put('secrets.yaml', ...secretsConnection(secrets, { access }));
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('roles.yaml', staticRole(), second(entry));
  await operated.apply();
  expect([await readyOf(operated, 'second'), await readyOf(operated, 'shop')]).toEqual([
    'AccessDenied',
    'InSync',
  ]);
});

test('an entry of the same DN in another directory is another one', async () => {
  const { operated, secrets } = await operating();
  await secrets.call('POST', '/v1/sys/mounts/other', { type: 'ldap' });
  const [config] = ldapConfig({ ...admin, url: 'ldap://other.example.com' }, { mount: 'other' });
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('other.yaml', named('other', config ?? {}));
  operated.tree.put('roles.yaml', staticRole());
  await operated.converge();
  const keeping = { configRef: { name: 'other' }, onCreate: 'Keep', output: undefined };
  operated.tree.put('second.yaml', second(entry, keeping));
  await operated.apply();
  expect(await readyOf(operated, 'second')).toBe('InSync');
});
