// The configuration of a login had trouble of its own, and people went on logging in by what the service had.
import { expect, test } from 'vitest';
import { secret } from '../support/manifests.ts';
import { oidcConfig, oidcRole } from '../support/secrets.ts';
import { operating } from './embedded-directory.ts';

const clientSecret = secret('shop', 'staff', { 'client-secret': 'canary-client' });

interface Role {
  readonly data: { readonly token_policies: readonly string[] };
}

test.for([
  { why: 'the Secret of its client was gone', config: [oidcConfig()] },
  {
    why: 'the service refused an edit of it',
    config: [
      oidcConfig({
        providerConfig: {
          provider: 'workspace_directory',
          serviceAccountPath: '/nowhere',
          adminImpersonate: 'a@example.org',
        },
      }),
      clientSecret,
    ],
  },
])('a role kept the policy that was taken from it, while $why', async ({ config }) => {
  const { operated, secrets } = await operating();
  const policies = async () =>
    (await secrets.call<Role>('GET', '/v1/auth/oidc/role/staff')).data.token_policies;
  operated.tree.put('staff.yaml', oidcConfig(), clientSecret);
  operated.tree.put('role.yaml', oidcRole({ tokenPolicies: ['staff', 'admin'] }));
  await operated.converge();
  expect(await policies()).toEqual(['staff', 'admin']);
  operated.tree.put('staff.yaml', ...config);
  await operated.apply();
  operated.tree.put('role.yaml', oidcRole({ tokenPolicies: ['staff'] }));
  await operated.apply();
  expect(await policies()).toEqual(['staff']);
});
