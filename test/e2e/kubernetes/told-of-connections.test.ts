// A tenant who may use no connection learns nothing of what is behind one, and of no object of another namespace.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connection, volume } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, type Live } from './installed.ts';
import { kubectl } from './objects.ts';

describe.skipIf(assets === undefined)('without KUBEBUILDER_ASSETS and Go this is skipped', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await installedCluster({ controllers: false });
  });
  afterAll(() => cluster?.stop());

  test('no status and no event of a tenant names a Secret of the administrators', async () => {
    const at = await Installed.on(cluster);
    const tokenSecretRef = { namespace: 'holdfast-system', name: 'payments-root', key: 'token' };
    const to = { url: 'https://nomad.internal:4646', dialect: 'nomad' } as const;
    await at.apply(connection(to, { auth: { tokenSecretRef }, access: [{ namespaces: ['payments'] }] }));
    await at.apply(volume('data', { pluginID: 'ebs' }));
    const process = await at.start();
    let last: Live | undefined;
    await eventually('it is looked at', async () => {
      last = await at.get('CSIVolume/shop/data');
      return last?.status.conditions?.some(({ message }) => message !== '') === true;
    });
    await process.stop();
    const events = await kubectl(cluster, ['get', 'events', '-n', 'shop', '-o', 'json']);
    expect(JSON.stringify(last?.status)).not.toMatch(/payments-root|holdfast-system/);
    expect(events).not.toMatch(/payments-root|holdfast-system\//);
  });
});
