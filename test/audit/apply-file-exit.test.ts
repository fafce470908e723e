// The exit code of `apply FILE`.
import { expect, test } from 'vitest';
import { ldapConfig, secretsConnection, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

test('apply of one file ended as if all were well, though its connection was out of use and nothing was looked at', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  operated.tree.put('role.yaml', staticRole());
  await operated.converge();
  operated.tree.put('secrets.yaml', ...secretsConnection(secrets, {}, 'another-token-that-is-not-valid'));
  operated.tree.put('role.yaml', staticRole({ rotationPeriod: '2h' }));
  const { code, stdout, stderr } = await operated.command('apply', 'tree/role.yaml', '--timeout', '20');
  const { data } = await secrets.call<{ data: { rotation_period: number } }>(
    'GET',
    '/v1/ldap/static-role/shop',
  );
  expect({ code, period: data.rotation_period }, stdout + stderr).not.toEqual({ code: 0, period: 86_400 });
});
