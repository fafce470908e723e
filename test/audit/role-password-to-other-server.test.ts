// Somebody else points the engine at another server, and drift leaves that as found. Holdfast tests the new password of a role
// in a bind, which must go to the declared directory.
import { expect, onTestFinished, test } from 'vitest';
import { ldapConfig, secretsConnection, staticRole } from '../support/secrets.ts';
import { startSlapd } from '../support/slapd.ts';
import { collector } from './collector.ts';
import { operating } from './embedded-directory.ts';

test.each([{ drift: { mode: 'Warn' } }, { drift: { ignore: ['/urls'] } }])(
  'the password of a role was tested at a server that somebody else had set: with %j that server read it, and it works',
  async (policy) => {
    const slapd = await startSlapd();
    onTestFinished(() => slapd.stop());
    const { operated, secrets } = await operating();
    const other = await collector();
    const { dn } = slapd.entries.shop;
    operated.tree.put('secrets.yaml', ...secretsConnection(secrets, { probeHosts: ['127.0.0.1'] }));
    operated.tree.put('directory.yaml', ...ldapConfig(slapd, policy));
    operated.tree.put('role.yaml', staticRole({ dn, verify: { bind: true } }));
    await operated.converge();
    await secrets.call('POST', '/v1/ldap/config', { binddn: slapd.bindDN, url: `${other.url},${slapd.url}` });
    await operated.apply(); // urls differ, and are left
    await secrets.call('POST', '/v1/ldap/rotate-role/shop', {});
    const { data } = await secrets.call<{ data: { password: string } }>('GET', '/v1/ldap/static-cred/shop');
    expect(await slapd.bind(dn, data.password)).toBe(true);
    const { stdout } = await operated.command('apply', 'tree', '--timeout', '5');
    expect(other.heard(), stdout).not.toContain(data.password);
  },
);
