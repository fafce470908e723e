// `plan` looks ahead as far as it can tell, and no further: what waits for what the same plan makes is shown with it, and
// what nobody can do yet is not promised.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { folder, holdfast } from '../../support/cli.ts';
import { installation, secret, Tree, volume } from '../../support/manifests.ts';
import { ldapConfig, secretsConnection, serveSecrets, staticRole } from '../../support/secrets.ts';
import { serve } from '../../support/service.ts';

test('a role is shown with what it would do after its configuration, which the same plan makes', async () => {
  const service = await serveSecrets();
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree'));
  const directory = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword };
  tree.put('holdfast.yaml', installation());
  tree.put('secrets.yaml', ...secretsConnection(service));
  tree.put('ldap.yaml', ...ldapConfig(directory), staticRole());
  const plan = async () => (await holdfast(['plan', 'tree'], { cwd })).stdout;
  const before = await plan();
  expect(before).toContain('LDAPConfig/shop/directory\n  + ');
  expect(before).toContain('LDAPStaticRole/shop/shop\n    after LDAPConfig/shop/directory\n  + ');
  expect(before).toContain('Plan: 2 to create, 0 to update, 0 to replace, 0 to destroy; 1 in sync');
  const json = await holdfast(['plan', 'tree', '-o', 'json'], { cwd });
  expect(JSON.parse(json.stdout).objects).toContainEqual(
    expect.objectContaining({ key: 'LDAPStaticRole/shop/shop', after: ['LDAPConfig/shop/directory'] }),
  );
  expect(await holdfast(['apply', 'tree'], { cwd })).toMatchObject({ code: 0 });
  expect(await plan()).toContain('No changes; 3 in sync');
});

test('what leaves together is planned together, so that a saved plan needs no other one after it', async () => {
  const service = await serveSecrets();
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree'));
  const directory = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword };
  const deleted = { deletionPolicy: 'Delete' };
  tree.put('holdfast.yaml', installation());
  const [connection = {}, ...token] = secretsConnection(service);
  tree.put('secrets.yaml', connection);
  const [config = {}, ...password] = ldapConfig(directory, deleted);
  tree.put('passwords.yaml', ...token, ...password);
  tree.put('ldap.yaml', config, staticRole(deleted));
  expect(await holdfast(['apply', 'tree'], { cwd })).toMatchObject({ code: 0 });
  for (const file of ['secrets.yaml', 'ldap.yaml']) tree.remove(file);
  const { stdout } = await holdfast(['plan', 'tree', '--out', 'plan.json'], { cwd });
  expect(stdout).toMatch(
    /^LDAPConfig\/shop\/directory\n {4}after LDAPStaticRole\/shop\/shop\n {2}- delete /m,
  );
  expect(stdout).toContain('SecretsConnection/secrets\n  - nothing uses it any more');
  expect(stdout).toContain('2 to destroy, 1 to release; 0 in sync');
  await service.resetCounters();
  expect(await holdfast(['apply', 'plan.json'], { cwd })).toMatchObject({ code: 0 });
  expect(await service.counters()).toMatchObject({ writes: 2 });
  expect(await holdfast(['plan', 'tree'], { cwd })).toMatchObject({
    stdout: expect.stringContaining('No changes; 0 in sync'),
  });
});

test('what is still used stays, and so does what is used by something that waits for a person', async () => {
  const service = await serveSecrets();
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree'));
  const directory = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword };
  const limits = { deletions: { perHour: 0, percent: 100 } };
  tree.put('holdfast.yaml', installation());
  tree.put('secrets.yaml', ...secretsConnection(service, { limits }));
  tree.put('ldap.yaml', ...ldapConfig(directory));
  tree.put('role.yaml', staticRole({ deletionPolicy: 'Delete' }));
  expect(await holdfast(['apply', 'tree'], { cwd })).toMatchObject({ code: 0 });
  tree.remove('ldap.yaml');
  const blocked = 'LDAPConfig/shop/directory\n  x DeletionBlocked: still used by LDAPStaticRole/shop/shop';
  const plan = async () => (await holdfast(['plan', 'tree'], { cwd })).stdout;
  expect(await plan()).toContain(blocked);
  tree.remove('role.yaml');
  const waiting = await plan();
  expect(waiting).toContain(blocked);
  expect(waiting).toContain('x DeletionLimitExceeded: ');
});

test('a Secret without the key that is asked for, or without any file where all are given, keeps its object waiting', async () => {
  const service = await serve();
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  tree.put('secret.yaml', secret('shop', 'plugin', { key: 'x' }));
  tree.put('a.yaml', volume('a', { secrets: { key: { name: 'plugin', key: 'other' } } }));
  tree.put('b.yaml', volume('b', { secrets: { key: { name: 'elsewhere', key: 'key' } } }));
  const plan = async (...args: readonly string[]) =>
    (await holdfast(['plan', 'tree', ...args], { cwd })).stdout;
  const isMissing = 'x DependencyNotReady: /secrets/key: Secret shop/plugin has no entry other';
  const isNowhere = 'x DependencyNotReady: /secrets/key: Secret shop/elsewhere does not exist';
  const open = await plan();
  expect(open).toContain(`CSIVolume/shop/a\n  ${isMissing}`);
  // It may be given when it runs, and nobody can tell from here.
  const unread =
    '! /secrets/key is not checked: no manifest has Secret shop/elsewhere; --secrets-dir reads it from files';
  expect(open).toMatch(/^CSIVolume\/shop\/b\n {2}\+ create b with hostpath\n(?: {6}.*\n)* {2}! /m);
  expect(open).toContain(`\n  ${unread}\n`);
  const whole = await plan('--secrets-dir', await folder());
  expect(whole).toContain(`CSIVolume/shop/a\n  ${isMissing}`);
  expect(whole).toContain(`CSIVolume/shop/b\n  ${isNowhere}`);
});
