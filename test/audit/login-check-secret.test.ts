// A login is checked with a Secret of its own, which may be gone: that is no reason to leave the role as it was.
import { expect, test } from 'vitest';
import { secret } from '../support/manifests.ts';
import { oidcConfig, oidcRole } from '../support/secrets.ts';
import { operating } from './embedded-directory.ts';

interface Role {
  readonly data: { readonly token_policies: readonly string[] };
}

test('a role kept the policy that was taken from it, while the Secret that only its check needs was gone', async () => {
  const { operated, secrets } = await operating();
  const loginCheck = { clientSecretSecretRef: { name: 'checks', key: 'client-secret' } };
  const put = (tokenPolicies: readonly string[]) =>
    operated.tree.put('role.yaml', oidcRole({ tokenPolicies, loginCheck }));
  operated.tree.put(
    'staff.yaml',
    oidcConfig(),
    secret('shop', 'staff', { 'client-secret': 'canary-client' }),
  );
  operated.tree.put('checks.yaml', secret('shop', 'checks', { 'client-secret': 'canary-client' }));
  put(['staff', 'admin']);
  await operated.converge();
  operated.tree.remove('checks.yaml');
  put(['staff']);
  await operated.apply();
  const { data } = await secrets.call<Role>('GET', '/v1/auth/oidc/role/staff');
  expect(data.token_policies).toEqual(['staff']);
});
