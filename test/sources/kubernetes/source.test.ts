// The source over an API server that does not answer: what it says before it knows, and after it was stopped.
import { expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { KubernetesSource } from '../../../src/sources/kubernetes/source.ts';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent } from './objects.ts';

const disks = { apiVersion: 'holdfast.dev/v1alpha1', kind: 'Disk', plural: 'disks', namespaced: true };

test('stopped while it lists, it tells nothing: half of what is declared looks like a deletion of the rest', async () => {
  const clock = new ManualClock();
  const end = { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } };
  const listed = Promise.withResolvers<void>();
  const { url } = await serve((request, response) => {
    response.writeHead(200);
    response.flushHeaders();
    if (!request.url.includes('/disks')) return; // Secrets are never listed
    response.write(`${JSON.stringify({ type: 'ADDED', object: sent({ version: 3 }) })}\n`);
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: end })}\n`, () => listed.resolve());
  });
  const client = new KubernetesClient(
    { server: url, namespace: 'default', headers: async () => ({}) },
    new EffectGate({ nowMs: clock.nowMs }),
    clock.nowMs,
  );
  const source = new KubernetesSource({
    client,
    resources: new Map([['Disk', disks]]),
    namespaces: [],
    validate: () => undefined,
    leadership: { leading: true, fence: () => {} },
    clock,
    random: () => 0.5,
    newID: () => 'i1',
    connectionOf: () => undefined,
    related: (kind) => [kind],
    onTrouble: () => {},
  });
  const told: string[] = [];
  const started = source.start((key) => told.push(key));
  await listed.promise;
  await expect.poll(() => [...source.keys()]).toEqual(['Disk/shop/data']);
  await source.stop();
  await started;
  source.resume();
  expect(told).toEqual([]);
  expect(await source.secret('shop', 'login', 'password')).toEqual({ is: 'pending' });
  await client.close();
});
