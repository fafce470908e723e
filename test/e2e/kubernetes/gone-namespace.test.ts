// A chosen namespace is deleted while Holdfast may look into chosen ones only. Its RoleBinding leaves along with it: what is declared in the
// others must not wait for that for ever, and no disk of the lost one may go.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { volume, type Spec } from '../../support/manifests.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { install } from './deployed.ts';
import { FaultProxy } from './fault-proxy.ts';
import { Installed, withinMs } from './installed.ts';
import { house, kubectl, operator } from './objects.ts';

const chosen = ['--namespace', 'shop', '--namespace', 'blog'];
const disk = { pluginID: 'ebs', deletionPolicy: 'Delete' };
const inBlog = (name: string): Spec => ({ ...volume(name, disk), metadata: { name, namespace: 'blog' } });
const other = 'CSIVolume/blog/other';

describe.skipIf(assets === undefined)('on a real Kubernetes (skipped where there is none)', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  beforeAll(async () => {
    cluster = await startCluster({ controllers: true, users: { [operator]: [] } });
    await install(cluster, 'namespaced');
    await kubectl(cluster, ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
    proxy = await FaultProxy.to(cluster, { tls: true });
  });
  afterAll(async () => {
    await proxy?.close();
    await cluster?.stop();
  });

  const run = (...args: readonly string[]): Promise<string> => kubectl(cluster, args);
  /** Kubernetes removes the RoleBinding first, so Holdfast can release nothing, and a person does. */
  const lose = async (): Promise<void> => {
    await run('delete', 'rolebinding', 'holdfast', '-n', 'blog');
    await run('delete', 'namespace', 'blog', '--wait=false');
    await run(
      'wait',
      '--for=jsonpath={.metadata.deletionTimestamp}',
      '-n',
      'blog',
      'csivolume/other',
      '--timeout=60s',
    );
  };
  const release = async (at: Installed): Promise<void> => {
    await at.patch(other, { metadata: { finalizers: null } });
    await run('wait', '--for=delete', 'namespace/blog', '--timeout=60s');
  };

  test(
    'the others wait while it is there, go on once it is gone, also from a new start, and it is listed when it is there again',
    { timeout: 300_000 },
    async () => {
      const at = await Installed.on(cluster);
      await at.connect();
      const kubeconfig = join(at.services.stateDir, 'through-the-proxy');
      writeFileSync(kubeconfig, readFileSync(cluster.kubeconfig, 'utf8').replace(cluster.url, proxy.url));
      const process = await at.start(...chosen, '--kubeconfig', kubeconfig);
      await at.apply(...['one', 'two', 'three'].map((name) => volume(name, disk)));
      await at.apply(inBlog('other'));
      await at.ready('CSIVolume/shop/one', 'CSIVolume/shop/two', 'CSIVolume/shop/three', other);
      const { disks } = await at.services.held();
      expect(disks).toHaveLength(4);

      await lose();
      proxy.cut(); // an API server ends each watch within ten minutes
      await process.says(/csisnapshots in blog.*can not be used/, withinMs);
      await at.delete('CSIVolume/shop/one');
      const { message } = await at.reason('CSIVolume/shop/one', 'DeletionPending');
      expect(message).toMatch(/can't be watched in a chosen namespace now/);
      expect((await at.services.held()).disks).toEqual(disks);
      await release(at);
      await at.gone('CSIVolume/shop/one');
      await process.stop();

      const again = await at.start(...chosen);
      await again.says(/there is no such namespace/, withinMs);
      await at.delete('CSIVolume/shop/two');
      await at.gone('CSIVolume/shop/two');
      expect((await at.services.held()).volumes).toEqual(['other', 'three']);
      expect((await at.services.held()).disks).toHaveLength(2);

      await run('create', 'namespace', 'blog');
      const binding = readFileSync(join(house, 'deploy/kustomize/namespaced/shop.yaml'), 'utf8');
      await kubectl(cluster, ['apply', '-f', '-'], binding.replaceAll('shop', 'blog'));
      await at.apply(inBlog('new'));
      await at.ready('CSIVolume/blog/new');
      await again.stop();
    },
  );
});
