// An object that is released stays while another controller's finalizer keeps it: its last condition would say for ever that
// it waits for something of ours.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { volume } from '../../support/manifests.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster } from './installed.ts';

const ours = 'holdfast.dev/finalizer';
const other = 'example.com/audit';

describe.skipIf(assets === undefined)('on a real Kubernetes (skipped where there is none)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await installedCluster();
  });
  afterAll(() => cluster?.stop());

  test.for([
    { what: 'whose disk was destroyed', deletionPolicy: 'Delete', left: ['stays'] },
    { what: 'whose volume was kept', deletionPolicy: 'Retain', left: ['data', 'stays'] },
  ])('an object $what says whose finalizer keeps it', async ({ deletionPolicy, left }) => {
    const at = await Installed.on(cluster);
    await at.connect();
    await at.start();
    await at.apply(volume('stays'), volume('data', { deletionPolicy }));
    await at.ready('CSIVolume/shop/stays', 'CSIVolume/shop/data');
    await at.patch('CSIVolume/shop/data', { metadata: { finalizers: [ours, other] } });
    await at.delete('CSIVolume/shop/data');

    const said = await at.reason('CSIVolume/shop/data', 'DeletionBlocked');
    expect(said.message).toBe(`all is done here; kept by the finalizer of another controller: ${other}`);
    expect((await at.services.held()).volumes).toEqual(left);
    const kept = await at.get('CSIVolume/shop/data');
    expect(kept?.metadata.finalizers).toEqual([other]);
    expect(kept?.status).not.toHaveProperty('pending');

    await at.annotate('CSIVolume/shop/data', { 'holdfast.dev/reconcile': 'now' });
    await at.reason('CSIVolume/shop/data', 'DeletionBlocked');
    await at.patch('CSIVolume/shop/data', { metadata: { finalizers: null } });
    await at.gone('CSIVolume/shop/data');
  });
});
