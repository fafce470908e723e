// Two approvals on one connection, one right after the other. The second took the place of the first, and what that had let go waited
// for a person again, though the command had said that it was approved.
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { clusterPlace } from '../../../src/runtime/kubernetes/cluster.ts';
import { serve } from '../../api/servers.ts';
import { sent } from '../../sources/kubernetes/objects.ts';

const spec = {
  connectionRef: { name: 'production' },
  pluginID: 'ebs',
  capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
  create: { capacity: { min: '1Gi' } },
};
const waiting = (name: string, digest: string) => ({
  ...sent({
    version: 8,
    name,
    uid: name,
    spec,
    status: { uid: name, awaits: { digest, id: `${name} goes` } },
  }),
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'CSIVolume',
});

const production = (approve?: string) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'SchedulerConnection',
  metadata: {
    ...sent({ version: 9, name: 'production', uid: 'c' }).metadata,
    annotations: { ...(approve !== undefined && { 'holdfast.dev/approve': approve }) },
  },
  spec: {},
});

/** What is annotated on the connection by an approval of `d2`, while `d1` still waits. @param before `undefined`: it may not be read */
async function approved(before: string | undefined): Promise<unknown> {
  const { url, seen } = await serve((request, response) => {
    const isOne = request.url.includes('/schedulerconnections/production');
    if (isOne && request.method === 'GET' && before === undefined) return response.writeHead(403).end();
    const items = request.url.includes('/csivolumes') ? [waiting('a', 'd1'), waiting('b', 'd2')] : [];
    const list = { metadata: { resourceVersion: '9' }, items };
    return response.end(JSON.stringify(isOne ? production(before) : list));
  });
  const config = { server: url, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate(systemClock), systemClock.nowMs);
  onTestFinished(() => client.close());
  const place = clusterPlace(client, undefined, new AbortController().signal);
  await place.request({ do: 'approve', digest: 'd2' });
  const [patch] = seen.filter(({ method }) => method === 'PATCH');
  return JSON.parse(patch?.body ?? '{}').metadata.annotations['holdfast.dev/approve'];
}

test.for([
  { why: 'one that nobody has carried out yet stays', before: 'd1', after: 'd1,d2' },
  { why: 'one that nothing waits for any more goes', before: 'd0,d1', after: 'd1,d2' },
  { why: 'the same one is not said twice', before: 'd2', after: 'd2' },
  { why: 'there is none', before: '', after: 'd2' },
  { why: 'the connection may be changed and not be read', before: undefined, after: 'd2' },
])('of what was approved before, $why', async ({ before, after }) => {
  expect(await approved(before)).toBe(after);
});
