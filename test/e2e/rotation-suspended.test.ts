// The scheduler whose job is told is suspended, as people run it: the passwords of the secrets service have nothing to do with it.
import { expect, test } from 'vitest';
import { eventually } from '../support/poll.ts';
import { Bench, connectionKey, roleKey, well } from './rotation-bench.ts';

test('a role whose consumer is behind a suspended scheduler goes on publishing what the service rotates', async () => {
  const at = await Bench.embedded();
  well(await at.apply());
  const run = at.run();
  await run.says(/"msg":"running"/);
  well(await at.command('suspend', 'SchedulerConnection/main'));
  for (let rotation = 0; rotation < 2; rotation++) {
    const before = await at.published();
    await at.secrets.call('POST', '/v1/ldap/rotate-role/shop');
    well(await at.command('reconcile', roleKey)); // sooner than it is looked at by itself
    await at.follows(before);
  }
  const told = () => at.operator.condition(roleKey, 'ConsumersNotified');
  expect(await told()).toMatchObject({
    status: 'False',
    message: '/consumers/0: SchedulerConnection/main is suspended',
  });
  expect(at.signals()).toEqual([0, 0]);
  well(await at.command('resume', 'SchedulerConnection/main'));
  await eventually('its consumer is told', async () => (await told())?.status === 'True');
  expect(at.signals()).toEqual([1, 1]);
  await run.stop();
  await at.stop();
});

test('a rotation that is asked for behind a suspended service is said to wait, and is made once that is resumed', async () => {
  const at = await Bench.embedded();
  well(await at.apply());
  const run = at.run();
  await run.says(/"msg":"running"/);
  well(await at.command('suspend', connectionKey));
  const before = await at.published();
  const { stdout } = await at.command('rotate', roleKey);
  expect(stdout).toMatch(
    /^LDAPStaticRole\/shop\/shop will be rotated; that waits while it is suspended with SecretsConnection\/secrets, by command \(.+\); holdfast resume SecretsConnection\/secrets ends it\n$/,
  );
  await eventually('the rotation is held back', async () => {
    const synced = await at.operator.condition(roleKey, 'Synced');
    return (
      synced?.message.startsWith('not done while SecretsConnection/secrets is suspended: rotate ') === true
    );
  });
  expect(await at.published()).toBe(before);
  well(await at.command('resume', connectionKey));
  await at.follows(before);
  await run.stop();
  await at.stop();
});
