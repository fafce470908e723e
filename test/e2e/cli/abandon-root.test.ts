// What can be done where the mount is missing, and where a manifest that could ask is gone.
import { expect, test } from 'vitest';
import { Bench, configKey, roleKey, well } from '../rotation-bench.ts';

test('a plan shows a mount that is missing as what blocks its object, with the command that makes it', async () => {
  const at = await Bench.embedded();
  at.configure({ mount: 'teams/ldap' });
  const { code, stdout } = await at.command('plan', 'tree');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /LDAPConfig\/shop\/directory\n {2}x MountNotFound: .*`secrets enable -path=teams\/ldap ldap`/,
  );
  await at.stop();
});

test('a configuration whose password only the service knows goes by command once its manifest is gone', async () => {
  const at = await Bench.embedded();
  at.configure({ deletionPolicy: 'Delete' });
  await at.operator.start('--listen', 'off');
  well(await at.command('rotate', configKey));
  await at.operator.reason(configKey, 'Rotated', 'RootPasswordOwned');
  at.tree.remove('role.yaml');
  await at.operator.left(roleKey);
  at.tree.remove('directory.yaml');
  const limit = await at.operator.reason(configKey, 'DeletionLimitExceeded'); // the last of all
  well(await at.command('approve', limit.split(' ').at(-1) ?? ''));
  expect(await at.operator.reason(configKey, 'DeletionBlocked')).toContain('holdfast abandon-root');
  well(await at.command('abandon-root', configKey, '--reason', 'the mount goes'));
  await at.operator.left(configKey);
  await expect(at.secrets.call('GET', '/v1/ldap/config')).rejects.toThrow('404');
  await at.stop();
});
