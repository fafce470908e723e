// bindDN and its password, where the difference of one of them is left as it is.
import { expect, test } from 'vitest';
import { ldapConfig } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

const dn = 'uid=shop,ou=services,dc=example,dc=org';

test('an account that was given to the engine was left as found, and lost its password when the Secret of another moved', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin, { drift: { mode: 'Warn' } }));
  await operated.converge();
  const other = { dn: 'cn=ops,dc=example,dc=org', password: 'another-password', attributes: { cn: 'ops' } };
  await secrets.call('POST', '/setup/entries', other);
  const body = { binddn: other.dn, bindpass: other.password, url: 'ldap://embedded' };
  await secrets.call('POST', '/v1/ldap/config', body);
  await operated.apply(); // says that bindDN differs, and leaves it
  const moved = { ...admin, bindPassword: 'holdfast-dev-bind-of-next-month' };
  operated.tree.put('directory.yaml', ...ldapConfig(moved, { drift: { mode: 'Warn' } }));
  const { stdout } = await operated.apply();
  const role = { dn, username: 'shop', rotation_period: '1h' };
  await expect(secrets.call('POST', '/v1/ldap/static-role/shop', role), stdout).resolves.toBeUndefined();
});
