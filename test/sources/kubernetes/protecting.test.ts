// What is only observed has a finalizer of its own in a cluster: others may use it. That proves nothing of what is outside, and is
// taken away with the other one when the object is released, which counts towards the deletion limits.
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../src/api/kubernetes/resources.ts';
import { isJsonMap, parseJson } from '../../../src/core/json.ts';
import type { Json } from '../../../src/core/secret.ts';
import { recentDeletionsOf } from '../../../src/sources/kubernetes/wire.ts';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent, type Sent } from './objects.ts';
import { sourceOn } from './opened-source.ts';

const protection = 'holdfast.dev/in-use-protection';
const others = 'example.com/other';
const ours = 'holdfast.dev/finalizer';
const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const resources = ['Disk', 'Conn'].map((kind) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: kind === 'Disk',
}));

/** The disk as it is, and its connection. What is written to them is kept. */
async function scene(disk: Omit<Sent, 'version'>) {
  const initial = { 'k8s.io/initial-events-end': 'true' };
  const end = { metadata: { resourceVersion: '9', annotations: initial } };
  const there = new Map<string, KubernetesObject>([
    ['disks', sent({ version: 10, ...disk })],
    ['conns', sent({ version: 10, name: 'main', namespace: '', uid: 'u3' })],
  ]);
  const patches: string[] = [];
  const { url } = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://api');
    const plural = /disks|conns/.exec(pathname)?.[0] ?? '';
    const object = there.get(plural);
    if (searchParams.has('watch')) {
      response.writeHead(200);
      if (object) response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
      response.write(`${JSON.stringify({ type: 'BOOKMARK', object: end })}\n`);
      return;
    }
    // oxlint-disable-next-line no-unsafe-type-assertion -- JSON
    const patch = parseJson(request.body) as Json;
    if (!object || !isJsonMap(patch)) throw new Error(`${request.method} ${request.url}`);
    patches.push(pathname.split('/v1alpha1/')[1] ?? '');
    const metadata = isJsonMap(patch['metadata']) ? patch['metadata'] : {};
    const resourceVersion = String(Number(object.metadata.resourceVersion) + 1);
    const now = { ...object, ...patch, metadata: { ...object.metadata, ...metadata, resourceVersion } };
    there.set(plural, now);
    response.end(JSON.stringify(now));
  });
  const clock = new ManualClock();
  const source = sourceOn(url, {
    resources,
    clock,
    connectionOf: ({ kind }) => (kind === 'Conn' ? undefined : 'Conn/main'),
  });
  await source.start(() => {});
  const handle = source.open('Disk/shop/data');
  if (!handle) throw new Error('the disk is declared');
  const finalizers = () => there.get('disks')?.metadata.finalizers;
  const counted = () => recentDeletionsOf(there.get('conns')?.['status']).map(({ key }) => key);
  return { source, handle, patches, finalizers, counted };
}

test('it is added beside those of others, once, and does not count as held', async () => {
  const { handle, source, patches, finalizers } = await scene({ finalizers: [others] });
  await handle.protect();
  await handle.protect();
  expect(patches).toEqual(['namespaces/shop/disks/data']);
  expect(finalizers()).toEqual([others, protection]);
  expect(source.read('Disk/shop/data')?.object).toMatchObject({ held: false });
  expect(source.read('Disk/shop/data')?.object).not.toHaveProperty('doubt');
});

test('the release takes it away, and counts towards the deletion limits', async () => {
  const { handle, source, finalizers, counted } = await scene({ finalizers: [protection], ...leaving });
  await handle.release({ removed: false });
  expect(finalizers()).toEqual([]);
  expect(counted()).toEqual(['Disk/shop/data']);
  expect(source.read('Disk/shop/data')).toBeUndefined();
});

test('the release takes both of ours away, and none of another controller', async () => {
  const { handle, finalizers } = await scene({ finalizers: [protection, others, ours], ...leaving });
  expect(await handle.release({ removed: true })).toEqual([others]);
  expect(finalizers()).toEqual([others]);
});

test('the release writes nothing where only another controller keeps the object', async () => {
  const { handle, patches } = await scene({ finalizers: [others], ...leaving });
  expect(await handle.release({ removed: false })).toEqual([others]);
  expect(patches).toEqual([]);
});

test('it stays where the first create was refused: the object may be used again', async () => {
  const { handle, finalizers } = await scene({ finalizers: [protection, ours] });
  await handle.unhold();
  expect(finalizers()).toEqual([protection]);
});
