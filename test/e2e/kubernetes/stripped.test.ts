// A status that a backup or a person stripped: what somebody asked for once is not done again, as another rotation would make
// a password of that day worthless.
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, withinMs } from './installed.ts';
import { house, kubectl } from './objects.ts';

interface Read {
  readonly data: Readonly<Record<string, unknown>>;
}

const rows = [
  {
    request: 'rotate',
    key: 'LDAPStaticRole/shop/web',
    path: '/v1/ldap/static-role/web',
    field: 'last_service_rotation',
  },
  {
    request: 'rotate-root',
    key: 'LDAPConfig/shop/directory',
    path: '/v1/ldap/config',
    field: 'last_bind_password_rotation',
  },
] as const;

describe.skipIf(assets === undefined)('a stripped status (skipped where there is no Kubernetes)', () => {
  let cluster: Cluster;
  let at: Installed;
  beforeAll(async () => {
    cluster = await installedCluster({ controllers: false });
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    at = await Installed.on(cluster);
    await at.start();
    for (const file of ['connection', 'credentials'])
      await kubectl(cluster, ['apply', '-f', join(house, `examples/quickstart/${file}.yaml`)]);
    await at.ready(...rows.map(({ key }) => key));
  });

  test.for(rows)('repeats no $request that was made before', async ({ request, key, path, field }) => {
    const rotated = async () => (await at.services.secrets<Read>('GET', path))?.data[field];
    const isHandled = async () => (await at.get(key))?.status.handledRequests?.[request] === 't1';
    const first = await rotated();
    await at.annotate(key, { [`holdfast.dev/${request}`]: 't1' });
    await eventually(`${request} is done`, isHandled, { withinMs });
    await at.ready(key);
    const last = await rotated();
    expect(last).not.toBe(first);

    const { apiVersion, kind, metadata, spec } = Object(await at.get(key));
    const { name, namespace } = metadata;
    const stripped = JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec, status: {} });
    await kubectl(cluster, ['replace', '--subresource=status', '-f', '-'], stripped);
    await eventually('it is known to be handled again', isHandled, { withinMs });
    await at.ready(key);
    expect(await rotated()).toBe(last);
  });
});
