// In Active Directory, services bind and look for users by the principal name, as the embedded one has to: what works there, and
// what does not, is otherwise another thing here.
import { expect, test } from 'vitest';
import { configBody, credential, roleBody, running } from '../running.ts';

test('with a domain, the service binds as its user there, and finds users by name and domain', async () => {
  const here = await running({ dialect: 'vault' });
  for (const name of ['operator', 'web']) {
    const attributes = { userPrincipalName: `${name}@example.org` };
    const dn = `cn=${name},dc=example,dc=org`;
    await here.client.post('/setup/entries', { dn, password: `canary-${name}-82d1`, attributes });
  }
  const config = { binddn: 'operator', bindpass: 'canary-operator-82d1', upndomain: 'example.org' };
  await here.client.post('/v1/ldap/config', {
    ...configBody(),
    ...config,
    schema: 'ad',
    userattr: '',
    userdn: 'dc=example,dc=org',
  });
  expect((await here.client.post('/v1/ldap/static-role/shop', roleBody('web', { dn: 'web' }))).status).toBe(
    204,
  );
  const { password } = await credential(here);
  const bind = async (dn: string) =>
    (await here.client.post('/setup/directory/bind', { dn, password })).json().ok;
  expect([await bind('cn=web,dc=example,dc=org'), await bind('web@example.org')]).toEqual([true, true]);
  expect((await here.client.post('/v1/ldap/rotate-root', {})).status).toBe(204);
});
