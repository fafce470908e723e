// What `policy` prints, in full: people paste it. That it is enough, and no more than that, is test/e2e/policy.test.ts.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast } from '../../support/cli.ts';
import { connection, installation, Tree, volume } from '../../support/manifests.ts';
import { ldapConfig, secretsConnection, staticRole } from '../../support/secrets.ts';

/** Nobody listens there: no service is asked. */
const nowhere = 'http://127.0.0.1:9';

async function tree() {
  const cwd = await folder();
  const declared = new Tree(join(cwd, 'tree'));
  declared.put('holdfast.yaml', installation());
  declared.put('scheduler.yaml', connection({ url: nowhere, dialect: 'nomad' }));
  declared.put('secrets.yaml', ...secretsConnection({ url: nowhere, dialect: 'vault' }));
  return { cwd, declared };
}

test('the policies of both services, with who needs each line', async () => {
  const { cwd, declared } = await tree();
  const consumers = [
    { job: { connectionRef: { name: 'main' }, id: 'web', namespace: 'apps', action: 'Signal' } },
  ];
  declared.put(
    'a.yaml',
    volume('a'),
    volume('b', { managementPolicy: 'ObserveOnly' }),
    volume('c'),
    volume('d'),
  );
  declared.put(
    'ldap.yaml',
    ...ldapConfig({ url: 'ldap://x', bindDN: 'cn=x', bindPassword: 'canary-bind-policy' }),
    staticRole({ consumers }),
  );
  const { code, stdout, stderr } = await holdfast(['policy', 'tree'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatchInlineSnapshot(`
    "# For the token of SchedulerConnection/main: an ACL policy of the scheduler.

    # CSIVolume/shop/a, CSIVolume/shop/c, CSIVolume/shop/d
    plugin {
      policy = "read"
    }

    # LDAPStaticRole/shop/shop
    namespace "apps" {
      capabilities = ["alloc-lifecycle", "read-job"]
    }

    # CSIVolume/shop/a, CSIVolume/shop/b, CSIVolume/shop/c and 2 more
    namespace "default" {
      capabilities = ["csi-read-volume", "csi-write-volume"]
    }

    # For the token of SecretsConnection/secrets: a policy of the secrets service; that of the name default is granted besides.

    # LDAPConfig/shop/directory
    path "ldap/config" {
      capabilities = ["create", "read", "update"]
    }

    # LDAPStaticRole/shop/shop
    path "ldap/rotate-role/shop" {
      capabilities = ["update"]
    }

    # LDAPStaticRole/shop/shop
    path "ldap/static-cred/shop" {
      capabilities = ["read"]
    }

    # LDAPStaticRole/shop/shop
    path "ldap/static-role/shop" {
      capabilities = ["create", "read", "update"]
    }
    "
  `);
});

test('an object whose needs can not be told is named, and it is an error: the token would lack them', async () => {
  const { cwd, declared } = await tree();
  declared.put('role.yaml', staticRole());
  const { code, stderr } = await holdfast(['policy', 'tree', '-o', 'json'], { cwd });
  expect(code).toBe(1);
  expect(stderr).toBe(
    "LDAPStaticRole/shop/shop: left out: it can't be used, or refers to something that is not declared\n",
  );
});
