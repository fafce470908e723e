// Two approvals on one connection, one right after the other. The second took the place of the first, and what that had let go waited
// for a person again, though the command had said that it was approved.
import { expect, onTestFinished, test } from 'vitest';
import { deletionID, digestOf } from '../../../src/core/planning/deletion-limits.ts';
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

/** A cluster with these volumes. @param before approved on the connection; `undefined`: it may not be read */
async function cluster(volumes: readonly ReturnType<typeof waiting>[], before: string | undefined) {
  const { url, seen } = await serve((request, response) => {
    const isOne = request.url.includes('/schedulerconnections/production');
    if (isOne && request.method === 'GET' && before === undefined) return response.writeHead(403).end();
    const items = request.url.includes('/csivolumes') ? volumes : [];
    const list = { metadata: { resourceVersion: '9' }, items };
    return response.end(JSON.stringify(isOne ? production(before) : list));
  });
  const config = { server: url, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate(systemClock), systemClock.nowMs);
  onTestFinished(() => client.close());
  return { place: clusterPlace(client, undefined, new AbortController().signal), seen };
}

/** What is annotated on the connection by an approval of `d2`, while `d1` still waits. @param before `undefined`: it may not be read */
async function approved(before: string | undefined): Promise<unknown> {
  const { place, seen } = await cluster([waiting('a', 'd1'), waiting('b', 'd2')], before);
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

/** Volumes that leave. The status of the first names their digest, and those of the others do not yet. */
function leaving(...names: readonly string[]) {
  const digest = digestOf(
    names.map((name) => ({ key: `CSIVolume/shop/${name}`, id: deletionID({ uid: name, generation: 1 }) })),
  );
  const [first = '', ...others] = names;
  const going = [waiting(first, digest), ...others.map((name) => waiting(name, 'before'))];
  const volumes = going.map(({ metadata, ...rest }) => ({
    ...rest,
    metadata: {
      ...metadata,
      deletionTimestamp: '2026-11-23T00:00:00Z',
      finalizers: ['holdfast.dev/finalizer'],
    },
  }));
  return { digest, volumes };
}

test('all that the digest stands for is told, also what does not name it yet: it may go as well', async () => {
  const { digest, volumes } = leaving('a', 'b', 'c');
  const { place } = await cluster([...volumes, waiting('stays', 'before')], '');
  const told = await place.request({ do: 'approve', digest });
  for (const name of ['a', 'b', 'c']) expect(JSON.stringify(told)).toContain(`CSIVolume/shop/${name}`);
  expect(JSON.stringify(told)).not.toContain('stays');
});

test('where another one has begun to leave since, those that name it are told: the digest is not of all', async () => {
  const { digest, volumes } = leaving('a', 'b');
  const [, , later] = leaving('a', 'b', 'later').volumes;
  const { place } = await cluster([...volumes, ...(later ? [later] : [])], '');
  const told = JSON.stringify(await place.request({ do: 'approve', digest }));
  expect(told).toContain('CSIVolume/shop/a');
  expect(told).not.toContain('later');
});
