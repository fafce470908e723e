// A role that is renamed before the heir of it could write its mark on the output.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import type { Spec } from '../support/manifests.ts';
import { admin, operating } from './embedded-directory.ts';

const dn = 'uid=shop,ou=services,dc=example,dc=org';

const named = (name: string, more: Spec = {}): Spec => ({
  ...staticRole({ externalName: 'shop', ...more }),
  metadata: { namespace: 'shop', name },
});

test('a role was renamed twice while it was suspended, and its password was not published any more', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('role.yaml', staticRole());
  await operated.converge();
  for (const name of ['web', 'api']) {
    operated.tree.put('role.yaml', named(name, { suspend: true }));
    await operated.apply();
  }
  operated.tree.put('role.yaml', named('api'));
  await operated.apply();
  await secrets.call('POST', '/v1/ldap/rotate-role/shop', {});
  const { code, stdout } = await operated.apply();
  const password = await readFile(join(operated.cwd, '.holdfast/outputs/shop/shop-login/password'), 'utf8');
  expect({ code, isGood: await secrets.binds(dn, password) }, stdout).toEqual({ code: 0, isGood: true });
});
