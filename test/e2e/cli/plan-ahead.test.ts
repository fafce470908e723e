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
