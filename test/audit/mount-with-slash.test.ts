// `vault secrets list` and `vault auth list` print mounts with a slash at the end, and people copy that.
import { expect, test } from 'vitest';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

test('`--mount ldap/`, as vault lists it, was never found, and the list of what nobody declares failed', async () => {
  const { operated } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('role.yaml', staticRole());
  await operated.converge();
  operated.tree.remove('role.yaml');
  operated.tree.remove('directory.yaml');
  const lists = async (mount: string) =>
    await operated.command('unmanaged', 'tree', '--state-dir', 'other', '--mount', mount);
  const plain = await lists('ldap');
  expect(plain.stdout).toMatch(/LDAPStaticRole .* ldap +shop/);
  expect(await lists('ldap/')).toEqual(plain);
  expect(await lists('/ldap')).toEqual(plain);
  const none = await lists('/');
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain(
    "option '--mount <path>' argument '/' is invalid. expected a path, such as ldap",
  );
});
