// The last look before an object of the cluster is destroyed: an API server whose watch of snapshots has fallen silent, while
// the deletion of a disk is heard of.
import { expect, test } from 'vitest';
import type { KubernetesObject, Resource } from '../../../src/api/kubernetes/resources.ts';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent } from './objects.ts';
import { sourceOn } from './opened-source.ts';

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
const conn = (version: number, annotations: Readonly<Record<string, string>>) => ({
  ...sent({ version, name: 'main', uid: 'u3', annotations }),
  kind: 'Conn',
});
const connection = conn(10, {});
/** What its watch never says. */
const suspended = conn(30, { 'holdfast.dev/suspend': 'true' });

/** @param status of a list */
async function scene(disk: KubernetesObject, status = 200) {
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
    } else if (pathname.endsWith('/disks/data')) response.end(JSON.stringify(disk));
    else if (pathname.endsWith('/conns/main')) response.end(JSON.stringify(suspended));
    else
      response.writeHead(status).end(JSON.stringify({ metadata: { resourceVersion: '21' }, items: [last] }));
  });
  const told: string[] = [];
  const source = sourceOn(url, {
    resources: kinds.map(resource),
    clock,
    connectionOf: () => 'Conn/shop/main',
    related: () => ['Disk', 'Snap'],
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
  await expect.poll(() => open().object.deleting).toBe(disk === leaving);
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
  const { open } = await scene(leaving, 403);
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
