// The program as people run it, while what stands between it and the API server refuses, loses, delays and cuts what it likes:
// what is declared comes to be, what goes is taken away, and nothing is made twice.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { volume } from '../../support/manifests.ts';
import { randomOf } from '../../simulation/machine/random.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { FaultProxy, type Fault, type Seen } from './fault-proxy.ts';
import { Installed, installedCluster } from './installed.ts';

const seed = process.env['WATCH_SEED'] ?? String(Date.now());
const names = ['a', 'b', 'c', 'd', 'e', 'f'];

describe.skipIf(assets === undefined)('without KUBEBUILDER_ASSETS and Go this is skipped', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  beforeAll(async () => {
    cluster = await installedCluster({ controllers: false });
    proxy = await FaultProxy.to(cluster, { tls: true });
  });
  afterEach(() => report(`WATCH_SEED=${seed}: ${JSON.stringify([...proxy.faults])}`));
  afterAll(async () => {
    await proxy?.close();
    await cluster?.stop();
  });

  test(
    'a journey through random faults of the API server ends as it does without them',
    { timeout: 300_000 },
    async () => {
      const at = await Installed.on(cluster);
      await at.connect();
      const random = randomOf(seed);
      const refused = (): Fault => ({ is: 'refused', status: random.pick([429, 500, 503]), retryAfter: 1 });
      const always: readonly (() => Fault)[] = [
        refused,
        () => ({ is: 'dropped' }),
        () => ({ is: 'lost' }),
        () => ({ is: 'delayed', ms: 300 }),
      ];
      const ofWatches: readonly (() => Fault)[] = [
        ...always,
        () => ({ is: 'refused', status: 410 }),
        () => ({ is: 'cut', after: random.below(4) }),
        () => ({ is: 'corrupt', after: random.below(4) }),
        () => ({ is: 'ended', after: random.below(4) }),
        () => ({ is: 'error', after: random.below(4), code: 410 }),
      ];
      proxy.fault = ({ isWatch, path }: Seen): Fault | undefined =>
        // Who loses its lease stands by, which another test shows (lease.test.ts).
        path.includes('/leases') || !random.chance(0.3)
          ? undefined
          : random.pick(isWatch ? ofWatches : always)();
      const kubeconfig = join(at.services.stateDir, 'through-the-proxy');
      writeFileSync(kubeconfig, readFileSync(cluster.kubeconfig, 'utf8').replace(cluster.url, proxy.url));
      const process = at.run('--kubeconfig', kubeconfig);
      // Any of a dozen lists may fail five times in a row, and waits twice as long each time.
      await process.says(/"msg":"leading"/, 120_000);

      const all = names.map((name) => `CSIVolume/shop/${name}`);
      const declare = (fsType: string) =>
        at.apply(
          ...names.map((name) => volume(name, { deletionPolicy: 'Delete', mountOptions: { fsType } })),
        );
      await declare('ext4');
      await at.ready(...all);
      const { disks } = await at.services.held();
      expect(disks).toHaveLength(names.length);
      await declare('xfs');
      await at.ready(...all);
      expect(await at.services.held()).toEqual({ volumes: names, disks });
      const [gone = ''] = all;
      await at.delete(gone);
      await at.gone(gone);
      const left = await at.services.held();
      expect(left.volumes).toEqual(names.slice(1));
      expect(left.disks).toEqual(disks.filter((disk) => !disk.startsWith('a-')));
      proxy.fault = () => undefined;
      expect((await process.stop()).code).toBe(0);
      expect([...proxy.faults.keys()]).toEqual(expect.arrayContaining(['refused', 'lost', 'dropped']));
    },
  );
});
