// What is only observed stays while others use it, as in a directory: deleted along with them in one go, it leaves after them,
// and it counts towards the deletion limits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Holdfast } from '../../support/cli.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster } from './installed.ts';
import { house, kubectl } from './objects.ts';

const role = 'LDAPStaticRole/crew/web';
const config = 'LDAPConfig/crew/directory';
const quickstart = (file: string): string =>
  readFileSync(join(house, `examples/quickstart/${file}.yaml`), 'utf8')
    .replaceAll('namespace: shop', 'namespace: crew')
    .replaceAll('namespaces: [shop]', 'namespaces: [crew]');
const credentials = quickstart('credentials').replace(
  'mount: ldap\n',
  'mount: ldap\n  managementPolicy: ObserveOnly\n',
);
const [connection = '', ...rest] = credentials.split('---\n');
/** All but the connection, which has no namespace. */
const observed = rest.join('---\n');

describe.skipIf(assets === undefined)('what is only observed (skipped where there is no Kubernetes)', () => {
  let cluster: Cluster;
  let at: Installed;
  let program: Holdfast;
  beforeAll(async () => {
    cluster = await installedCluster();
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    at = await Installed.on(cluster);
    await at.services.secrets('POST', '/v1/ldap/config', {
      binddn: 'cn=admin,dc=example,dc=org',
      bindpass: 'holdfast-dev-bind',
      url: 'ldap://embedded',
    });
    program = await at.start();
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: crew}\n';
    await kubectl(
      cluster,
      ['apply', '-f', '-'],
      [namespace, quickstart('connection'), credentials].join('---\n'),
    );
    await at.ready(config, role);
    expect((await at.get(config))?.metadata.finalizers).toEqual(['holdfast.dev/in-use-protection']);
  });

  /** Both wait for one approval, although only the role has anything to lose; it is given. */
  const approve = async (): Promise<void> => {
    const { message } = await at.reason(role, 'DeletionLimitExceeded');
    expect(message).toContain('2 of 2 objects would be deleted: the connection would lose all its objects');
    expect(await at.reason(config, 'DeletionBlocked')).toMatchObject({ message: `still used by ${role}` });
    expect(await at.services.secrets('GET', '/v1/ldap/static-role/web')).toBeDefined();
    const digest = (await at.get(role))?.status.awaits?.digest ?? '';
    await at.annotate('SecretsConnection/local', { 'holdfast.dev/approve': digest });
  };
  /** What the service has once both are gone. */
  const left = async () => {
    await at.gone(role);
    await at.gone(config);
    const [of, directory] = await Promise.all(
      ['static-role/web', 'config'].map((path) => at.services.secrets('GET', `/v1/ldap/${path}`)),
    );
    return { role: of !== undefined, config: directory !== undefined };
  };

  test('and is deleted along with what needs it, leaves after that; and the connection after both', async () => {
    await kubectl(cluster, ['delete', '--wait=false', '-f', '-'], connection);
    await kubectl(cluster, ['delete', '--wait=false', '-f', '-'], observed);
    await approve();
    expect(await left()).toEqual({ role: false, config: true });
    await at.gone('SecretsConnection/local');
  });

  test('and leaves with its namespace while nobody works, lets that end later', async () => {
    await program.stop();
    await kubectl(cluster, ['delete', 'namespace', 'crew', '--wait=false']);
    await at.start();
    await approve();
    expect(await left()).toEqual({ role: false, config: true });
    await kubectl(cluster, ['wait', '--for=delete', 'namespace/crew', '--timeout=60s']);
  });
});
