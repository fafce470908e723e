// A plan goes on without the values of Secrets: a job that has none may still see what would change. But it promised what
// `apply` then refused, because a Secret was nowhere; now it says what it could not check.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plan } from '../../src/cli/commands/plan.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';
import { installation, Tree } from '../support/manifests.ts';
import { kmsProvider, ldapConfig, oidcConfig, secretsConnection, serveSecrets } from '../support/secrets.ts';

const directory = { url: 'ldap://embedded', bindDN: 'cn=x', bindPassword: 'canary-x' };

const unread = (field: string, name: string) =>
  `\n  ! ${field} is not checked: no manifest has Secret shop/${name}; --secrets-dir reads it from files\n`;

test('each step that needs a Secret from elsewhere says so, and one that is known to be missing blocks', async () => {
  const service = await serveSecrets('secrets');
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree'));
  tree.put('holdfast.yaml', installation());
  tree.put('secrets.yaml', ...secretsConnection(service));
  const misspelt = { bindPasswordSecretRef: { name: 'directry', key: 'password' } };
  tree.put('ldap.yaml', ...ldapConfig(directory, misspelt));
  tree.put('oidc.yaml', oidcConfig());
  tree.put('kms.yaml', kmsProvider());
  const planned = (more: object = {}) =>
    inside((...to) => plan(tree.path, { stateDir: join(cwd, '.holdfast'), output: 'text', ...more }, ...to));
  const { code, stdout } = await planned({ detailedExitcode: true });
  expect(code).toBe(2);
  expect(stdout).toContain(unread('/bindPasswordSecretRef', 'directry'));
  expect(stdout).toContain(unread('/clientSecretSecretRef', 'staff'));
  expect(stdout).toContain(unread('/credentials/tenantIDSecretRef', 'invoices'));
  expect(JSON.parse((await planned({ output: 'json' })).stdout).objects).toContainEqual(
    expect.objectContaining({
      key: 'LDAPConfig/shop/directory',
      unchecked: [expect.stringContaining('/bindPasswordSecretRef is not checked: ')],
    }),
  );

  const secretsDir = join(cwd, 'secrets');
  mkdirSync(join(secretsDir, 'shop', 'staff'), { recursive: true });
  writeFileSync(join(secretsDir, 'shop', 'staff', 'client-secret'), 'canary-y');
  const whole = (await planned({ secretsDir })).stdout;
  expect(whole).toMatch(
    /\nLDAPConfig\/shop\/directory\n {2}x DependencyNotReady: \/bindPasswordSecretRef: Secret shop\/directry /,
  );
  expect(whole).toContain('OIDCConfig/shop/staff\n  + configure oidc\n');
  expect(whole).not.toContain('  ! ');
  expect(whole).not.toContain('canary');
});
