// Somebody else points the engine at another server, and drift leaves that as found. `rotate` changes the password of an account
// there, and published it: the declared directory did not know it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { startSlapd } from '../support/slapd.ts';
import { operating } from './embedded-directory.ts';

test('rotate took the password of the other server for the one of the declared directory, and its consumers could not log in any more', async () => {
  const [ours, theirs] = await Promise.all([startSlapd(), startSlapd()]);
  onTestFinished(async () => void (await Promise.all([ours.stop(), theirs.stop()])));
  const { operated, secrets } = await operating();
  const warn = { drift: { mode: 'Warn' } };
  const { dn } = ours.entries.shop;
  operated.tree.put('directory.yaml', ...ldapConfig(ours, warn));
  operated.tree.put('role.yaml', staticRole({ dn }));
  await operated.converge();
  const file = join(operated.cwd, '.holdfast/outputs/shop/shop-login/password');
  expect(await ours.bind(dn, await readFile(file, 'utf8'))).toBe(true);
  await secrets.call('POST', '/v1/ldap/config', { binddn: ours.bindDN, url: theirs.url });
  await operated.apply(); // urls differ, and are left
  operated.tree.put('role.yaml', staticRole({ dn }, { 'holdfast.dev/rotate': 't1' }));
  const { stdout } = await operated.command('apply', 'tree', '--timeout', '20');
  const before = await readFile(file, 'utf8');
  expect(await ours.bind(dn, before), stdout).toBe(true);
  expect(stdout).toContain('AnotherServer');
  operated.tree.put('directory.yaml', ...ldapConfig(ours));
  const corrected = await operated.apply(); // and the rotation that waited for it, in one
  const after = await readFile(file, 'utf8');
  expect([after === before, await ours.bind(dn, after)], corrected.stdout).toEqual([false, true]);
});
