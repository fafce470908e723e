// An etcd that was put back to an earlier state while the program ran on. Generations and versions are counted on from there, so
// that a number which the program knows comes again with another declaration.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { volume } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, withinMs } from './installed.ts';

const data = 'CSIVolume/shop/data';

describe.skipIf(assets === undefined)('an etcd that was put back (skipped where there is none)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await installedCluster();
  });
  afterAll(() => cluster?.stop());

  test(
    'has the disk kept that is declared to be kept now: an edit that was lost with it said otherwise, under the same generation',
    { timeout: 240_000 },
    async () => {
      const at = await Installed.on(cluster);
      const version = async () => Number((await at.get(data))?.metadata.resourceVersion);
      await at.connect();
      await at.run('--no-lease').says(/"msg":"running"/, withinMs);
      await at.apply(volume('data', { deletionPolicy: 'Retain' }));
      await at.ready(data);
      const putBack = cluster.backup();
      await at.patch(data, { spec: { deletionPolicy: 'Delete' } });
      await at.ready(data);
      const known = await version();

      await putBack();
      expect(await at.get(data)).toMatchObject({
        metadata: { generation: 1 },
        spec: { deletionPolicy: 'Retain' },
      });
      const write = async () => {
        await at.annotate(data, { 'example.com/turn': String(await version()) });
        return (await version()) > known;
      };
      await eventually('the versions are those that the program waits for', write, { withinMs });
      await at.delete(data);
      await at.gone(data);
      expect((await at.services.held()).volumes).toEqual(['data']);
    },
  );

  test(
    'is noticed by the Lease: the process ends, and the next one has what came back, and nothing of what was lost',
    { timeout: 240_000 },
    async () => {
      const at = await Installed.on(cluster);
      await at.connect();
      const process = await at.start();
      await at.apply(volume('data', { externalName: 'first' }), volume('kept'));
      await at.ready(data, 'CSIVolume/shop/kept');
      const putBack = cluster.backup();
      await at.delete(data);
      await at.gone(data);
      await at.apply(volume('lost'));
      await at.ready('CSIVolume/shop/lost');

      await putBack();
      const { code, stdout } = await process.ended;
      expect(code).toBe(1);
      expect(stdout).toContain('etcd was put back to an earlier state');
      await at.patch(data, { spec: { mountOptions: { fsType: 'xfs' } } });
      await at.start();
      await at.ready(data, 'CSIVolume/shop/kept');
      expect((await at.services.held()).volumes).toEqual(['first', 'kept', 'lost']);
    },
  );
});
