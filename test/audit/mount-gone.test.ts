// A login method was disabled, and what it had went with it. Its declarations went, too, and waited for ever: all that was said was
// how to enable the method again.
import { expect, test } from 'vitest';
import { secret } from '../support/manifests.ts';
import { oidcConfig, oidcRole } from '../support/secrets.ts';
import { operating } from './embedded-directory.ts';

const key = 'OIDCRole/shop/staff';

test('a role whose method was disabled could not leave, and nothing said how to let go of it', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put(
    'staff.yaml',
    oidcConfig(),
    secret('shop', 'staff', { 'client-secret': 'canary-client' }),
  );
  operated.tree.put('role.yaml', oidcRole());
  await operated.converge();
  await secrets.call('DELETE', '/v1/sys/auth/oidc');
  operated.tree.remove('role.yaml');
  operated.tree.remove('staff.yaml');
  await operated.applyApproving();
  expect(await operated.ready(key)).toMatchObject({ reason: 'MountNotFound' });
  const { stdout } = await operated.command('describe', key);
  expect(stdout).toContain('`holdfast orphan`');
  await operated.command('orphan', key, '--reason', 'the method is gone');
  await operated.applyApproving();
  expect([...(await operated.objects()).keys()].filter((one) => one.startsWith('OIDC'))).toEqual([]);
});
