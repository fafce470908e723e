// What is only observed bears no finalizer, so it goes at once, also from under what is reached through it: docs/kubernetes.md
// says what then waits, and how that ends.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster } from './installed.ts';
import { house, kubectl } from './objects.ts';

const role = 'LDAPStaticRole/shop/web';
const config = 'LDAPConfig/shop/directory';
const quickstart = (file: string): string =>
  readFileSync(join(house, `examples/quickstart/${file}.yaml`), 'utf8');
const observed = quickstart('credentials').replace(
  'mount: ldap\n',
  'mount: ldap\n  managementPolicy: ObserveOnly\n',
);

describe.skipIf(assets === undefined)('what is only observed (skipped where there is no Kubernetes)', () => {
  let cluster: Cluster;
  let at: Installed;
  beforeAll(async () => {
    cluster = await installedCluster({ controllers: false });
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    at = await Installed.on(cluster);
    await at.services.secrets('POST', '/v1/ldap/config', {
      binddn: 'cn=admin,dc=example,dc=org',
      bindpass: 'holdfast-dev-bind',
      url: 'ldap://embedded',
    });
    await at.start();
    await kubectl(cluster, ['apply', '-f', '-'], quickstart('connection'));
    await kubectl(cluster, ['apply', '-f', '-'], observed);
    await at.ready(config, role);
    expect((await at.get(config))?.metadata.finalizers).toBeUndefined();
    await kubectl(cluster, [
      'delete',
      '-n',
      'shop',
      'ldapconfig/directory',
      'ldapstaticrole/web',
      '--wait=false',
    ]);
    const { message } = await at.reason(role, 'DeletionBlocked');
    expect(message).toBe('/configRef: LDAPConfig/shop/directory does not exist');
    expect(await at.get(config)).toBeUndefined();
    expect(await at.services.secrets('GET', '/v1/ldap/static-role/web')).toBeDefined();
  });

  test('and is deleted along with what needs it leaves that waiting, until it is declared again', async () => {
    await kubectl(
      cluster,
      ['apply', '-f', '-'],
      observed.replace(/kind: LDAPStaticRole[^]*/, 'kind: List\nitems: []\n'),
    );
    await at.gone(role);
    expect(await at.services.secrets('GET', '/v1/ldap/static-role/web')).toBeUndefined();
  });

  test('and can not be declared again, as its namespace goes, lets go of the rest by force-orphan', async () => {
    await at.annotate(role, { 'holdfast.dev/force-orphan': 'its namespace goes' });
    await at.gone(role);
    expect(await at.services.secrets('GET', '/v1/ldap/static-role/web')).toBeDefined();
  });
});
