// The engine binds at another server than declared, as drift leaves it, so a rotation that is asked for is refused. The edit that has it
// corrected lets the rotation go on; the plan of that edit said that it is refused, and a person who reads plans would not have made it.
import { expect, test } from 'vitest';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

const roleOf = (plan: string): string => plan.slice(plan.indexOf('LDAPStaticRole/shop/shop'));

async function refused() {
  const { operated, secrets } = await operating();
  const warn = { drift: { mode: 'Warn' } };
  operated.tree.put('directory.yaml', ...ldapConfig(admin, warn));
  operated.tree.put('role.yaml', staticRole());
  await operated.converge();
  await secrets.call('POST', '/v1/ldap/config', { binddn: admin.bindDN, url: 'ldap://elsewhere' });
  await operated.apply(); // urls differ, and are left
  operated.tree.put('role.yaml', staticRole({}, { 'holdfast.dev/rotate': 't1' }));
  await operated.apply();
  expect(await operated.ready('LDAPStaticRole/shop/shop')).toMatchObject({ reason: 'AnotherServer' });
  return { operated, secrets, plan: async () => (await operated.command('plan', 'tree')).stdout, warn };
}

test(
  'the plan of an edit that has the server corrected shows the rotation that then goes on',
  { timeout: 120_000 },
  async () => {
    const { operated, secrets, plan } = await refused();
    operated.tree.put('directory.yaml', ...ldapConfig(admin));
    const shown = roleOf(await plan());
    expect(shown).not.toContain('AnotherServer');
    expect(shown).toContain('rotate');
    const before = await secrets.rotations('shop');
    await operated.converge();
    expect(await secrets.rotations('shop')).toBe(before + 1);
  },
);

test(
  'the plan of an edit that corrects something else says that it stays refused',
  { timeout: 120_000 },
  async () => {
    const { operated, plan, warn } = await refused();
    operated.tree.put('directory.yaml', ...ldapConfig(admin, { ...warn, requestTimeout: '30s' }));
    expect(roleOf(await plan())).toContain('AnotherServer');
  },
);
