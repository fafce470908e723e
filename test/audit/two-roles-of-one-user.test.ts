// Two static roles of two mounts that name a user and no entry: the services look for it, below the same entry and by the same
// attribute, and find the same one. Each role ends the password of the other.
import { expect, test } from 'vitest';
import type { Spec } from '../support/manifests.ts';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

const named = (name: string, role: Spec): Spec => ({ ...role, metadata: { namespace: 'shop', name } });
const below = { userDN: 'ou=services,dc=example,dc=org', userAttr: 'uid' };

/** @param other how the second mount looks for users */
async function both(other: Spec, username = 'shop') {
  const { operated, secrets } = await operating('secrets');
  await secrets.call('POST', '/v1/sys/mounts/other', { type: 'ldap' });
  operated.tree.put('directory.yaml', ...ldapConfig(admin, below));
  operated.tree.put(
    'other.yaml',
    named('other', ldapConfig(admin, { mount: 'other', ...below, ...other })[0] ?? {}),
  );
  operated.tree.put('role.yaml', staticRole({ dn: undefined }));
  await operated.converge();
  const second = { configRef: { name: 'other' }, username, dn: undefined, output: { secretName: 'second' } };
  operated.tree.put('second.yaml', named('second', staticRole(second)));
  await operated.apply();
  return { secrets, told: await operated.ready('LDAPStaticRole/shop/second') };
}

test.for([
  { why: 'of one spelling', other: {}, username: 'shop' },
  { why: 'of two', other: { userDN: 'OU=services, dc=example,dc=org', userAttr: 'UID' }, username: 'Shop' },
])(
  'two roles for one user, $why, both said Ready, and the first published a dead password',
  async ({ other, username }) => {
    const { secrets, told } = await both(other, username);
    expect((await secrets.counters()).rotations).toEqual({ 'ldap/shop': 1 });
    expect(told).toMatchObject({ status: 'False', reason: 'AccountConflict' });
    expect(told?.message).toContain('LDAPStaticRole/shop/shop');
  },
);

test('a user of that name who is looked for elsewhere is another one', async () => {
  const { told } = await both({ userDN: 'ou=people,dc=example,dc=org' });
  expect(told?.reason).not.toBe('AccountConflict');
});
