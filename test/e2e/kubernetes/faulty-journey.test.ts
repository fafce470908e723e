// The program as people run it, while what stands between it and the API server refuses, loses, delays and cuts what it likes:
// what is declared comes to be, what goes is taken away, and nothing is made twice.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/poll.ts';
import type { Holdfast } from '../../support/cli.ts';
import { snapshot, volume } from '../../support/manifests.ts';
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

  const through = async (at: Installed): Promise<Holdfast> => {
    const kubeconfig = join(at.services.stateDir, 'through-the-proxy');
    writeFileSync(kubeconfig, readFileSync(cluster.kubeconfig, 'utf8').replace(cluster.url, proxy.url));
    const process = at.run('--kubeconfig', kubeconfig);
    // Any of a dozen lists may fail five times in a row, and waits twice as long each time.
    await process.says(/"msg":"leading"/, 120_000);
    return process;
  };

  test.for(['silent', 'refused'] as const)(
    'the last snapshot of a volume that is deleted is taken, though the watch of snapshots is %s: its disk goes after that',
    { timeout: 180_000 },
    async (how) => {
      const at = await Installed.on(cluster);
      await at.connect();
      let isOff = how === 'silent';
      let refused = 0;
      proxy.fault = ({ isWatch, path }: Seen): Fault | undefined => {
        if (!path.endsWith('/csisnapshots') || !isWatch || !isOff) return undefined;
        if (how === 'silent') return { is: 'silent', after: 1 };
        refused += 1;
        return { is: 'refused', status: 503 };
      };
      const process = await through(at);
      await at.apply(volume('data', { pluginID: 'ebs', deletionPolicy: 'Delete' }));
      await at.ready('CSIVolume/shop/data');
      if (how === 'refused') {
        isOff = true;
        proxy.cut();
        await eventually('the watch of snapshots is refused', async () => refused > 0);
      }
      await at.apply(snapshot('last'));
      await at.delete('CSIVolume/shop/data');
      if (how === 'refused') {
        const { message } = await at.reason('CSIVolume/shop/data', 'DeletionPending');
        expect(message).toBe("csisnapshots can't be watched now: what else may go is not known");
        isOff = false;
      }
      await at.gone('CSIVolume/shop/data');
      expect((await at.services.held()).disks).toEqual([]);
      expect(await at.services.scheduler.snapshots()).toHaveLength(1);
      expect((await process.stop()).code).toBe(0);
    },
  );

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
      const process = await through(at);

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
