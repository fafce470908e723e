// Restarts of workloads on the real API server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { restart, restartAnnotation, type Workload } from '../../../src/sources/kubernetes/restarts.ts';
import { assets } from './assets.ts';
import { clientOf } from './client.ts';
import { startCluster, type Cluster } from './cluster.ts';

const kinds: readonly Workload['kind'][] = ['Deployment', 'StatefulSet', 'DaemonSet'];
const at = (kind: Workload['kind']): Workload => ({ kind, namespace: 'default', name: 'app' });

const manifest = (kind: Workload['kind'], annotations: Readonly<Record<string, string>>) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'app' },
  spec: {
    selector: { matchLabels: { app: 'app' } },
    ...(kind === 'StatefulSet' && { serviceName: 'app' }),
    template: {
      metadata: { labels: { app: 'app' }, annotations },
      spec: { containers: [{ name: 'app', image: 'app' }] },
    },
  },
});

describe.skipIf(assets === undefined)('a restart (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  let client: KubernetesClient;
  beforeAll(async () => {
    cluster = await startCluster();
    client = clientOf(cluster);
  }, 120_000);
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  test.for(kinds)('of a %s changes the pod template once per token, and nothing else of it', async (kind) => {
    const path = `/apis/apps/v1/namespaces/default/${kind.toLowerCase()}s`;
    expect(await cluster.call('POST', path, { body: manifest(kind, { kept: 'a' }) })).toMatchObject({
      status: 201,
    });
    const generations = [];
    for (const token of ['t1', 't1', 't2', 't2']) {
      expect(await restart(client, at(kind), token)).toBe(true);
      const { body } = await cluster.call('GET', `${path}/app`);
      expect(body).toMatchObject({
        spec: { template: { metadata: { annotations: { kept: 'a', [restartAnnotation]: token } } } },
      });
      // oxlint-disable-next-line no-unsafe-type-assertion -- as the API server answers
      generations.push((body as { metadata: { generation: number } }).metadata.generation);
    }
    expect(generations).toEqual([2, 2, 3, 3]);
  });

  test('of what is not there is told', async () => {
    expect(await restart(client, { ...at('Deployment'), name: 'none' }, 't1')).toBe(false);
  });
});
