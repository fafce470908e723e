// What was declared and is not heard of, because a watch is open and dead: nothing may be destroyed against it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Holdfast } from '../../support/cli.ts';
import { snapshot, volume } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { FaultProxy, type Fault, type Seen } from './fault-proxy.ts';
import { Installed, installedCluster } from './installed.ts';

const key = 'CSIVolume/shop/data';
const label = (team: string | null) => ({ metadata: { labels: { team } } });

describe.skipIf(assets === undefined)('without KUBEBUILDER_ASSETS and Go this is skipped', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let process: Holdfast | undefined;
  beforeAll(async () => {
    cluster = await installedCluster({ controllers: false });
    proxy = await FaultProxy.to(cluster, { tls: true });
  });
  afterEach(async () => {
    proxy.fault = () => undefined;
    await process?.stop();
    process = undefined;
  });
  afterAll(async () => {
    await proxy?.close();
    await cluster?.stop();
  });

  const through = async (at: Installed, ...more: readonly string[]): Promise<void> => {
    const kubeconfig = join(at.services.stateDir, 'through-the-proxy');
    writeFileSync(kubeconfig, readFileSync(cluster.kubeconfig, 'utf8').replace(cluster.url, proxy.url));
    process = at.run('--kubeconfig', kubeconfig, ...more);
    await process.says(/"msg":"leading"/, 120_000);
  };
  /** The watch of that resource brings its first list, of so many lines, and nothing after that. */
  const silence = (plural: string, lines: number): void => {
    proxy.fault = ({ isWatch, path }: Seen): Fault | undefined =>
      isWatch && path.endsWith(`/${plural}`) ? { is: 'silent', after: lines } : undefined;
  };

  test(
    'a connection is suspended, and its watch is dead: a volume that is deleted after that keeps its disk',
    { timeout: 180_000 },
    async () => {
      const at = await Installed.on(cluster);
      await at.connect();
      silence('schedulerconnections', 2);
      await through(at);
      await at.apply(volume('data', { pluginID: 'ebs', deletionPolicy: 'Delete' }));
      await at.ready(key);
      const { disks } = await at.services.held();
      expect(disks).toHaveLength(1);
      await at.annotate('SchedulerConnection/main', { 'holdfast.dev/suspend': 'true' });
      await at.delete(key);
      const isDecided = async () => {
        const { conditions = [] } = (await at.get(key))?.status ?? {};
        const isSaid = conditions.some(({ message }) =>
          message.includes('SchedulerConnection/main is suspended'),
        );
        return isSaid || (await at.services.held()).disks.length === 0;
      };
      await eventually('it is kept, or gone', isDecided, { withinMs: 60_000 });
      expect((await at.services.held()).disks).toEqual(disks);
    },
  );

  test(
    'a snapshot is declared of a volume that is replaced after that, and the watch of snapshots is dead: it is of the disk of then',
    { timeout: 180_000 },
    async () => {
      const at = await Installed.on(cluster);
      await at.connect();
      silence('csisnapshots', 1);
      await through(at);
      const policies = { pluginID: 'ebs', deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
      await at.apply(volume('data', policies));
      await at.ready(key);
      const [old] = await at.services.scheduler.disks();
      await at.apply(snapshot('before'));
      const quick = { create: { capacity: { min: '1Gi' }, parameters: { tier: 'quick' } } };
      await at.apply(volume('data', { ...policies, ...quick }));
      const isReplaced = async () => {
        const all = await at.services.scheduler.disks();
        return all.length === 1 && all[0]?.externalID !== old?.externalID;
      };
      await eventually('it is replaced', isReplaced, { withinMs: 60_000 });
      const sources = (await at.services.scheduler.snapshots()).map(({ sourceID }) => sourceID);
      expect(sources).toEqual([old?.externalID]);
    },
  );

  test(
    'a connection loses the label by which it is chosen, and its watch is dead: a volume that is deleted after that keeps its disk',
    { timeout: 180_000 },
    async () => {
      const at = await Installed.on(cluster);
      await at.connect();
      await at.patch('SchedulerConnection/main', label('shop'));
      silence('schedulerconnections', 2);
      await through(at, '--selector', 'team=shop');
      await at.apply(volume('data', { pluginID: 'ebs', deletionPolicy: 'Delete' }));
      await at.patch(key, label('shop'));
      await at.ready(key);
      const { disks } = await at.services.held();
      expect(disks).toHaveLength(1);
      await at.patch('SchedulerConnection/main', label(null));
      const from = proxy.seen.length;
      await at.delete(key);
      const isDecided = async () => {
        const looks = proxy.seen
          .slice(from)
          .filter(({ path }) => path.endsWith('/schedulerconnections/main'));
        return looks.length > 8 || (await at.services.held()).disks.length === 0;
      };
      await eventually('it was looked at again and again, or is gone', isDecided, { withinMs: 60_000 });
      expect((await at.services.held()).disks).toEqual(disks);
    },
  );

  test(
    'of two chosen namespaces one may not be watched any more: nothing of the other is deleted, and the log says why',
    { timeout: 180_000 },
    async () => {
      const at = await Installed.on(cluster);
      await at.connect();
      // Kubernetes removes the RoleBinding along with the namespace. Whether that is why, Holdfast may not ask.
      let isRefused = false;
      const body = {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'Forbidden',
        message: 'forbidden',
        code: 403,
      };
      proxy.fault = ({ path }: Seen): Fault | undefined =>
        isRefused && path.includes('/namespaces/blog/') ? { is: 'refused', status: 403, body } : undefined;
      await through(at, '--namespace', 'shop', '--namespace', 'blog');
      await at.apply(volume('data', { pluginID: 'ebs', deletionPolicy: 'Delete' }));
      await at.ready(key);
      isRefused = true;
      proxy.cut(); // an API server ends each watch within ten minutes
      await process?.says(/csisnapshots in blog.*can not be used/, 60_000);
      await at.delete(key);
      const { message } = await at.reason(key, 'DeletionPending');
      expect(message).toMatch(
        /csisnapshots.* can't be watched in a chosen namespace now \(the log says in which\)/,
      );
      expect((await at.services.held()).disks).toHaveLength(1);
      isRefused = false;
      await at.gone(key);
    },
  );
});
