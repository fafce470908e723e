// The Kubernetes that other suites start: as they count on it.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';

describe.skipIf(assets === undefined)(
  'a Kubernetes of its own (skipped without KUBEBUILDER_ASSETS and Go)',
  () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster({ controllers: true, users: { ann: ['shop'] } });
    });
    afterAll(() => cluster.stop());

    test('the administrator may do everything, others what they are allowed; each request is in the audit log', async () => {
      expect(await cluster.kubectl(['create', 'namespace', 'shop'])).toMatchObject({ code: 0 });
      const denied = await cluster.kubectl(['get', 'secrets', '-n', 'shop'], { user: 'ann' });
      expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining('forbidden') });
      const bind = ['create', 'rolebinding', 'ann', '--clusterrole=edit', '--group=shop', '-n', 'shop'];
      expect(await cluster.kubectl(bind)).toMatchObject({ code: 0 });
      await eventually('ann may read', async () => {
        return (await cluster.call('GET', '/api/v1/namespaces/shop/secrets', { user: 'ann' })).status === 200;
      });
      const events = readFileSync(cluster.auditLog, 'utf8').trim().split('\n');
      expect(
        events.some((line) => line.includes('"username":"ann"') && line.includes('"resource":"secrets"')),
      ).toBe(true);
    });

    test('restarted, it is where it was and knows what it knew', async () => {
      expect(await cluster.kubectl(['create', 'namespace', 'kept'])).toMatchObject({ code: 0 });
      await cluster.restart();
      expect(await cluster.kubectl(['get', 'namespace', 'kept', '-o', 'name'])).toMatchObject({
        code: 0,
        stdout: 'namespace/kept\n',
      });
    });

    test('a deleted namespace goes with what is in it', async () => {
      expect(await cluster.kubectl(['create', 'namespace', 'gone'])).toMatchObject({ code: 0 });
      expect(await cluster.kubectl(['create', 'configmap', 'in', '-n', 'gone'])).toMatchObject({ code: 0 });
      expect(await cluster.kubectl(['delete', 'namespace', 'gone', '--timeout=60s'])).toMatchObject({
        code: 0,
      });
    });
  },
);
