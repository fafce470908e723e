// The service reads the file of a service account with each read of the configuration, and answers none without it. So it was
// not even looked at what would have put that right.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secret } from '../support/manifests.ts';
import { oidcConfig } from '../support/secrets.ts';
import { operating } from './embedded-directory.ts';

const account = JSON.stringify({ type: 'service_account', private_key: 'canary-private-key' });

interface Config {
  readonly data: { readonly default_role: string; readonly provider_config: object };
}

test('a configuration could not be mended once the file of its service account was gone from the service', async () => {
  const { operated, secrets } = await operating();
  const file = join(operated.cwd, 'account.json');
  await writeFile(file, account);
  const put = (of: object) =>
    operated.tree.put(
      'staff.yaml',
      oidcConfig({
        defaultRole: 'staff',
        providerConfig: {
          provider: 'workspace_directory',
          adminImpersonate: 'a@example.org',
          fetchGroups: true,
          ...of,
        },
      }),
      secret('shop', 'staff', { 'client-secret': 'canary-client', account }),
    );
  put({ serviceAccountPath: file });
  await operated.converge();
  await rm(file);
  await operated.apply();
  expect(await operated.ready('OIDCConfig/shop/staff')).toMatchObject({
    message: expect.stringContaining('error parsing service account JSON'),
  });
  put({ serviceAccountSecretRef: { name: 'staff', key: 'account' } });
  const { code, stdout } = await operated.apply();
  expect(code, stdout).toBe(0);
  const { data } = await secrets.call<Config>('GET', '/v1/auth/oidc/config');
  expect(data).toMatchObject({
    default_role: 'staff',
    provider_config: {
      provider: 'gsuite',
      gsuite_admin_impersonate: 'a@example.org',
      fetch_groups: true,
    },
  });
});
