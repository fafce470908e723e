// Editors, `echo` and `kubectl create secret --from-file` leave a newline at the end, which no identity provider, key store or
// directory takes for a part of a secret of theirs.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kmsProvider, ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

const credentials = {
  tenant_id: 'canary-tenant',
  client_id: 'canary-client',
  client_secret: 'canary-secret',
};

test('a key provider was Ready with credentials that no key store takes', async () => {
  const { operated, secrets } = await operating();
  const dir = join(operated.cwd, 'secrets/shop/invoices');
  await mkdir(dir, { recursive: true });
  for (const [name, value] of Object.entries(credentials))
    await writeFile(
      join(dir, name.replace(/^(tenant|client)_id$/, '$1').replace('client_', '')),
      `${value}\n`,
    );
  operated.tree.put('keys.yaml', kmsProvider());
  const { code, stdout } = await operated.command(
    'apply',
    'tree',
    '--secrets-dir',
    'secrets',
    '--timeout',
    '10',
  );
  expect(code, stdout).toBe(0);
  const asked = { mount: 'keymgmt', provider: 'invoices', credentials };
  expect(await secrets.call('POST', '/setup/keyStore/login', asked)).toEqual({ ok: true });
});

test('a configuration had a bind password that its directory did not take', async () => {
  const { operated, secrets } = await operating();
  const dn = 'uid=shop,ou=services,dc=example,dc=org';
  operated.tree.put(
    'directory.yaml',
    ...ldapConfig({ ...admin, bindPassword: `${admin.bindPassword}\n` }),
    staticRole({ dn }),
  );
  await operated.apply();
  const published = await readFile(join(operated.cwd, '.holdfast/outputs/shop/shop-login/password'), 'utf8');
  expect(await secrets.binds(dn, published)).toBe(true);
});
