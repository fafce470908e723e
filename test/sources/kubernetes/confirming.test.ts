// The last look before an object of the cluster is destroyed: an API server whose watch of snapshots has fallen silent, while
// the deletion of a disk is heard of.
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import type { KubernetesObject, Resource } from '../../../src/api/kubernetes/resources.ts';
import { KubernetesSource } from '../../../src/sources/kubernetes/source.ts';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent, type Sent } from './objects.ts';

const resource = (kind: string): Resource => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
});
const kinds = ['Disk', 'Snap', 'Role', 'Conn'];
const initial = { 'k8s.io/initial-events-end': 'true' };
const end = (resourceVersion: string) => ({ metadata: { resourceVersion, annotations: initial } });
const last = { ...sent({ version: 15, name: 'last', uid: 'u2' }), kind: 'Snap' };
const leaving = sent({ version: 20, deletionTimestamp: '2026-01-01T00:00:00Z' });
const conn = (version: number, more: Partial<Sent>) => ({
  ...sent({ version, name: 'main', uid: 'u3', ...more }),
  kind: 'Conn',
});
const connection = conn(10, {});
/** What its watch never says. */
const suspended = conn(30, { annotations: { 'holdfast.dev/suspend': 'true' } });

interface Served {
  /** Of a list. */
  readonly status?: number;
  /** What its watch does not tell of the disk, or of the connection. */
  readonly disk?: KubernetesObject;
  readonly conn?: object;
  readonly labelSelector?: string;
}

async function scene(
  disk: KubernetesObject,
  { status = 200, disk: diskNow = disk, conn: connNow = suspended, labelSelector }: Served = {},
) {
  const clock = new ManualClock();
  const { url, seen } = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://api');
    const said = (...lines: readonly object[]) =>
      lines.map((line) => `${JSON.stringify(line)}\n`).forEach((line) => response.write(line));
    if (searchParams.has('watch')) {
      response.writeHead(200);
      if (pathname.endsWith('/disks')) {
        said({ type: 'BOOKMARK', object: end('9') });
        said({ type: 'ADDED', object: sent({ version: 10 }) }, { type: 'MODIFIED', object: disk });
      } else said({ type: 'BOOKMARK', object: end('9') }); // and nothing more
      if (pathname.endsWith('/conns')) said({ type: 'ADDED', object: connection });
    } else if (pathname.endsWith('/disks/data')) response.end(JSON.stringify(diskNow));
    else if (pathname.endsWith('/conns/main')) response.end(JSON.stringify(connNow));
    else
      response.writeHead(status).end(JSON.stringify({ metadata: { resourceVersion: '21' }, items: [last] }));
  });
  const client = new KubernetesClient(
    { server: url, namespace: 'default', headers: async () => ({}) },
    new EffectGate({ nowMs: clock.nowMs }),
    clock.nowMs,
  );
  const told: string[] = [];
  const source = new KubernetesSource({
    client,
    resources: new Map(kinds.map((kind) => [kind, resource(kind)])),
    namespaces: [],
    ...(labelSelector !== undefined && { labelSelector }),
    validate: () => undefined,
    leadership: { leading: true, fence: () => {} },
    clock,
    random: () => 0.5,
    newID: () => 'i1',
    connectionOf: () => 'Conn/shop/main',
    related: () => ['Disk', 'Snap'],
    onTrouble: () => {},
  });
  onTestFinished(async () => {
    await source.stop();
    await client.close();
  });
  await source.start((key) => told.push(key));
  await expect.poll(() => source.read('Disk/shop/data')?.object.uid).toBe('u1');
  await expect.poll(() => source.read('Conn/shop/main')?.object.uid).toBe('u3');
  await expect.poll(() => source.sync.unknown()).toBeUndefined();
  const open = () => {
    const handle = source.open('Disk/shop/data');
    if (!handle) throw new Error('the disk is declared');
    return handle;
  };
  await expect.poll(() => open().object.deleting).toBe(disk.metadata.deletionTimestamp !== undefined);
  const lists = () => seen.map(({ url: of }) => of).filter((of) => of.includes('limit='));
  return { source, told, open, seen, lists };
}

test('what was declared before it was to be deleted is known, whatever its watch has missed', async () => {
  const { source, open, told, lists } = await scene(leaving);
  await open().confirm(true);
  expect(source.read('Snap/shop/last')?.object.uid).toBe('u2');
  expect(told).toContain('Snap/shop/last');
  expect(lists()).toEqual(['/apis/holdfast.dev/v1alpha1/snaps?limit=500']); // no version is named: as it is now
});

test('many deletions at once look once', async () => {
  const { open, lists } = await scene(leaving);
  await Promise.all(Array.from({ length: 100 }, () => open().confirm(true)));
  await open().confirm(true);
  expect(lists()).toHaveLength(1);
});

test('while that can not be known, nothing is confirmed', async () => {
  const { open } = await scene(leaving, { status: 403 });
  await expect(open().confirm(true)).rejects.toMatchObject({ status: 403 });
});

test('a connection that was suspended meanwhile is known to be, whatever its watch has missed', async () => {
  const { source, open, told } = await scene(leaving);
  await open().confirm(true);
  expect(source.read('Conn/shop/main')?.object.requests).toEqual({ suspend: 'true' });
  expect(told.at(-1)).toBe('Conn/shop/main');
});

test('a step that destroys nothing is worth neither a list nor a look at the connection', async () => {
  const { open, seen, lists } = await scene(leaving);
  await open().confirm();
  expect(lists()).toEqual([]);
  expect(seen.filter(({ url }) => url.includes('/conns/'))).toEqual([]);
});

test('a replacement, which waits for the snapshots of its volume, has to know them as a deletion has', async () => {
  const { source, open, lists } = await scene(sent({ version: 20 }));
  await open().confirm(true);
  expect(source.read('Snap/shop/last')?.object.uid).toBe('u2');
  expect(lists()).toEqual(['/apis/holdfast.dev/v1alpha1/snaps?limit=500']);
});

const labelSelector = 'team=shop';
const labels = { team: 'shop' };
const chosen = conn(30, { labels });

test('one that lost its label is confirmed no more, though its watch has not told of that', async () => {
  const disk = { ...leaving, metadata: { ...leaving.metadata, labels } };
  const { open } = await scene(disk, {
    disk: sent({ version: 31, deletionTimestamp: '2026-01-01T00:00:00Z' }),
    conn: chosen,
    labelSelector,
  });
  await expect(open().confirm(true)).rejects.toMatchObject({ name: 'ConflictError', reason: 'gone' });
});

test('nothing is destroyed through a connection that lost its label: what a person asked of it is not known here any more', async () => {
  const disk = { ...leaving, metadata: { ...leaving.metadata, labels } };
  const { open } = await scene(disk, { labelSelector });
  await expect(open().confirm(true)).rejects.toMatchObject({ name: 'ConflictError', reason: 'gone' });
});

test('one that has its label still is confirmed', async () => {
  const disk = { ...leaving, metadata: { ...leaving.metadata, labels } };
  const { open } = await scene(disk, { conn: chosen, labelSelector });
  await expect(open().confirm(true)).resolves.toBeUndefined();
});
