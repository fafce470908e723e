// A file with a Secret that holds nothing any more was truncated rather than emptied on purpose.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ldapConfig, type SecretsService } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

const dn = 'uid=shop,ou=services,dc=example,dc=org';

/** Fails where the service can't bind. */
const makeRole = (secrets: SecretsService) =>
  secrets.call('POST', '/v1/ldap/static-role/shop', { dn, username: 'shop', rotation_period: '1h' });

test.for([
  { why: 'emptied, as by a full disk', text: '' },
  { why: 'written by a shell that had no such variable', text: '\n' },
])(
  'a file of --secrets-dir was $why, and the service lost the bind password that worked',
  async ({ text }) => {
    const { operated, secrets } = await operating();
    const dir = join(operated.cwd, 'secrets');
    await mkdir(join(dir, 'shop/directory'), { recursive: true });
    await writeFile(join(dir, 'shop/directory/password'), admin.bindPassword);
    const [config = {}] = ldapConfig(admin, { userDN: 'ou=services,dc=example,dc=org' });
    operated.tree.put('directory.yaml', config);
    const apply = () => operated.command('apply', 'tree', '--secrets-dir', 'secrets', '--timeout', '10');
    const first = await apply();
    expect(first.code, first.stdout + first.stderr).toBe(0);
    await writeFile(join(dir, 'shop/directory/password'), text);
    const { code, stdout } = await apply();
    const works = await makeRole(secrets).then(
      () => true,
      () => false,
    );
    expect({ works, isSaid: code !== 0 }, stdout).toEqual({ works: true, isSaid: true });
  },
);
