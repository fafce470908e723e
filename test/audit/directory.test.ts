// A directory's configuration, and what hangs by it: rotations that fail, or passwords that nobody publishes any more.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ldapConfig,
  secretsConnection,
  serveSecrets,
  staticRole,
  type SecretsService,
} from '../support/secrets.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const dn = 'uid=shop,ou=services,dc=example,dc=org';
const admin = {
  url: 'ldap://embedded',
  bindDN: 'cn=admin,dc=example,dc=org',
  bindPassword: 'holdfast-dev-bind',
};

/** An account that works as well, and the engine binds with it. */
async function bindAsAnother(secrets: SecretsService): Promise<void> {
  const other = { dn: 'cn=ops,dc=example,dc=org', password: 'another-password', attributes: { cn: 'ops' } };
  await secrets.call('POST', '/setup/entries', other);
  const body = { binddn: other.dn, bindpass: other.password, url: 'ldap://embedded' };
  await secrets.call('POST', '/v1/ldap/config', body);
}

/** Fails where the service can't bind. */
const makeRole = (secrets: SecretsService) =>
  secrets.call('POST', '/v1/ldap/static-role/shop', { dn, username: 'shop', rotation_period: '1h' });

async function operating() {
  const [service, secrets] = await Promise.all([serve(), serveSecrets()]);
  const operated = await Operated.on(service);
  operated.tree.put('secrets.yaml', ...secretsConnection(secrets));
  return { operated, secrets };
}

test('somebody gave the engine another account, its name alone was put back, and nothing could rotate', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  await operated.converge();
  await bindAsAnother(secrets);
  await operated.converge();
  await expect(makeRole(secrets)).resolves.toBeUndefined();
});

test('a configuration of another account was adopted with its name alone, and nothing could rotate', async () => {
  const { operated, secrets } = await operating();
  await bindAsAnother(secrets);
  operated.tree.put('directory.yaml', ...ldapConfig(admin, { adoptionPolicy: 'Adopt' }));
  await operated.converge();
  await expect(makeRole(secrets)).resolves.toBeUndefined();
});

/** A role whose password is published. */
async function published() {
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('role.yaml', staticRole());
  await operated.converge();
  /** Whether the workload gets in once the service has rotated. */
  const getsIn = async () => {
    await secrets.call('POST', '/v1/ldap/rotate-role/shop', {});
    await operated.apply();
    const file = join(operated.cwd, '.holdfast/outputs/shop/shop-login/password');
    return secrets.binds(dn, await readFile(file, 'utf8'));
  };
  return { operated, getsIn };
}

test('the service owned the bind password, its Secret went, and no password was published any more', async () => {
  const { operated, getsIn } = await published();
  await operated.command('rotate', 'LDAPConfig/shop/directory');
  await operated.converge();
  const [config = {}] = ldapConfig(admin);
  operated.tree.put('directory.yaml', config);
  await operated.converge();
  expect(await getsIn()).toBe(true);
});

test('a configuration was edited wrongly, and no password of its roles was published any more', async () => {
  const { operated, getsIn } = await published();
  operated.tree.put('directory.yaml', ...ldapConfig(admin, { length: 12, passwordPolicy: 'long' }));
  await operated.apply();
  expect(await operated.ready('LDAPConfig/shop/directory')).toMatchObject({ reason: 'InvalidSpec' });
  expect(await getsIn()).toBe(true);
  expect(await operated.ready('LDAPStaticRole/shop/shop')).toMatchObject({ status: 'True' });
});
