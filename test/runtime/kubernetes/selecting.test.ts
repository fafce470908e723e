// A plan of a cluster whose operator chooses by label showed what that would never do: it had no way to choose so.
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { readCluster } from '../../../src/runtime/kubernetes/cluster.ts';
import { problemOf } from '../../../src/runtime/kinds/lookup.ts';
import { serve } from '../../api/servers.ts';

test('what is listed of a cluster is what the operator lists: connections too, by its label', async () => {
  const { url, seen } = await serve((_, response) => {
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: [] }));
  });
  const config = { server: url, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate(systemClock), systemClock.nowMs);
  onTestFinished(() => client.close());
  const reading = { kinds: ['CSIVolume', 'SchedulerConnection'], namespace: 'shop', validate: problemOf };
  const { signal } = new AbortController();
  await readCluster(client, { ...reading, signal, selector: 'team in (shop,blog)' });
  const labels = seen.map(({ url: path }) => new URL(path, url).searchParams.get('labelSelector'));
  expect(labels).toEqual(['team in (shop,blog)', 'team in (shop,blog)']);
  await readCluster(client, { ...reading, signal });
  expect(seen.slice(2).map(({ url: path }) => new URL(path, url).searchParams.has('labelSelector'))).toEqual([
    false,
    false,
  ]);
});
