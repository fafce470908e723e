// Somebody else points the engine at another server, and drift leaves that as found. The bind password must not go there.
import { expect, onTestFinished, test } from 'vitest';
import type { Spec } from '../support/manifests.ts';
import { ldapConfig } from '../support/secrets.ts';
import { startSlapd } from '../support/slapd.ts';
import { collector } from './collector.ts';
import { admin, operating } from './embedded-directory.ts';

const roleOf = (dn: string) => ({ dn, username: 'shop', rotation_period: '1h' });
const role = roleOf('uid=shop,ou=services,dc=example,dc=org');
const next = 'holdfast-dev-bind-of-next-month';

function asking(request: string, [declared = {}, ...rest]: readonly Spec[]): readonly Spec[] {
  const annotations = { [`holdfast.dev/${request}`]: 't1' };
  return [{ ...declared, metadata: { namespace: 'shop', name: 'directory', annotations } }, ...rest];
}

test.each([{ drift: { mode: 'Warn' } }, { drift: { ignore: ['/urls'] } }])(
  'a bind password whose Secret moved was sent to a server that somebody else had set: with %j that server read it',
  async (policy) => {
    const { operated, secrets } = await operating();
    const other = await collector();
    operated.tree.put('directory.yaml', ...ldapConfig(admin, policy));
    await operated.converge();
    await secrets.call('POST', '/v1/ldap/config', { binddn: admin.bindDN, url: other.url });
    await operated.apply(); // urls differ, and are left
    operated.tree.put('directory.yaml', ...ldapConfig({ ...admin, bindPassword: next }, policy));
    const { stdout } = await operated.apply();
    await secrets.call('POST', '/v1/ldap/static-role/shop', role).catch(() => {});
    expect(other.heard(), stdout).not.toContain(next);
  },
);

test('reseed-root sent the declared bind password to a server that somebody else had set, which read it', async () => {
  const { operated, secrets } = await operating();
  const other = await collector();
  const warn = { drift: { mode: 'Warn' } };
  operated.tree.put('directory.yaml', ...ldapConfig(admin, warn));
  await operated.converge();
  const config = { binddn: admin.bindDN, bindpass: 'whatever', url: other.url };
  await secrets.call('POST', '/v1/ldap/config', config);
  const declared = ldapConfig({ ...admin, bindPassword: next }, warn);
  operated.tree.put('directory.yaml', ...asking('reseed-root', declared));
  const { stdout } = await operated.apply();
  await secrets.call('POST', '/v1/ldap/static-role/shop', role).catch(() => {});
  expect(other.heard(), stdout).not.toContain(next);
});

test('rotate-root rotated the account of a server that somebody else had set, and nobody could bind at the declared one any more', async () => {
  const [ours, theirs] = await Promise.all([startSlapd(), startSlapd()]);
  onTestFinished(async () => void (await Promise.all([ours.stop(), theirs.stop()])));
  const { operated, secrets } = await operating();
  const warn = { drift: { mode: 'Warn' } };
  operated.tree.put('directory.yaml', ...ldapConfig(ours, warn));
  await operated.converge();
  await secrets.call('POST', '/v1/ldap/config', { binddn: ours.bindDN, url: theirs.url });
  operated.tree.put('directory.yaml', ...asking('rotate-root', ldapConfig(ours, warn)));
  const { stdout } = await operated.apply();
  await secrets.call('POST', '/v1/ldap/config', { binddn: ours.bindDN, url: ours.url });
  const made = secrets.call('POST', '/v1/ldap/static-role/shop', roleOf(ours.entries.shop.dn));
  await expect(made, stdout).resolves.toBeUndefined();
});
