// Somebody else points the engine at another server, and drift leaves that as found. `rotate` changes the password of an account
// there, and so does the making of a role. It was published, and the declared directory did not know it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { startSlapd } from '../support/slapd.ts';
import { operating } from './embedded-directory.ts';

const warn = { drift: { mode: 'Warn' } };

/** A configuration of a directory. `lead` has somebody else point it at another server. */
async function configured() {
  const [ours, theirs] = await Promise.all([startSlapd(), startSlapd()]);
  onTestFinished(async () => void (await Promise.all([ours.stop(), theirs.stop()])));
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(ours, warn));
  await operated.converge();
  const lead = async () => {
    await secrets.call('POST', '/v1/ldap/config', { binddn: ours.bindDN, url: theirs.url });
    await operated.apply(); // urls differ, and are left
  };
  const file = join(operated.cwd, '.holdfast/outputs/shop/shop-login/password');
  return { operated, secrets, ours, theirs, lead, password: () => readFile(file, 'utf8') };
}

test('rotate took the password of the other server for the one of the declared directory, and its consumers could not log in any more', async () => {
  const { operated, ours, lead, password } = await configured();
  const { dn } = ours.entries.shop;
  operated.tree.put('role.yaml', staticRole({ dn }));
  await operated.converge();
  expect(await ours.bind(dn, await password())).toBe(true);
  await lead();
  operated.tree.put('role.yaml', staticRole({ dn }, { 'holdfast.dev/rotate': 't1' }));
  const { stdout } = await operated.command('apply', 'tree', '--timeout', '20');
  const before = await password();
  expect(await ours.bind(dn, before), stdout).toBe(true);
  expect(stdout).toContain('AnotherServer');
  operated.tree.put('directory.yaml', ...ldapConfig(ours));
  const corrected = await operated.apply(); // and the rotation that waited for it, in one
  const after = await password();
  expect([after === before, await ours.bind(dn, after)], corrected.stdout).toEqual([false, true]);
});

test('a role that was made meanwhile set the password of its account at the other server, and published it', async () => {
  const { operated, secrets, ours, theirs, lead, password } = await configured();
  const { dn, password: known } = theirs.entries.shop;
  await lead();
  operated.tree.put('role.yaml', staticRole({ dn }));
  const { stdout } = await operated.command('apply', 'tree', '--timeout', '20');
  expect([await theirs.bind(dn, known), await secrets.rotations('shop')], stdout).toEqual([true, 0]);
  expect(stdout).toContain('AnotherServer');
  operated.tree.put('directory.yaml', ...ldapConfig(ours));
  const corrected = await operated.apply(); // and the role that waited for it, in one
  expect(await ours.bind(dn, await password()), corrected.stdout).toBe(true);
});
