// An object that is not selected any more is another operator's. What is asked of it along with that, such as to suspend it or to keep its
// disk, is seen by the last look before something is destroyed, which then is not.
import { expect, test } from 'vitest';
import type { KubernetesObject, Resource } from '../../../src/api/kubernetes/resources.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent, type Sent } from './objects.ts';
import { sourceOn } from './opened-source.ts';

const resource = (kind: string): Resource => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: kind === 'Disk',
});
const initial = { 'k8s.io/initial-events-end': 'true' };
const end = { metadata: { resourceVersion: '9', annotations: initial } };
const ours = { labels: { team: 'shop' } };
const theirs = { labels: { team: 'crew' } };
const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const disk = (more: Omit<Sent, 'version'>, version = 10) => sent({ version, ...leaving, ...more });
const conn = (more: Omit<Sent, 'version'>, version = 10) =>
  sent({ version, name: 'main', namespace: '', uid: 'u3', ...more });

/** What a look finds; no watch tells that yet. */
interface Now {
  readonly disk?: KubernetesObject;
  readonly conn?: KubernetesObject;
}

/** Selected are those of `shop`. */
async function scene(now: Now) {
  const clock = new ManualClock();
  const before = { disk: disk(ours), conn: conn(ours) };
  const { url, seen } = await serve((request, response) => {
    const of = request.url.includes('/disks') ? 'disk' : 'conn';
    if (!request.url.includes('watch=true')) {
      if (request.method === 'GET') response.end(JSON.stringify(now[of] ?? before[of]));
      else response.writeHead(409).end('{}');
      return;
    }
    response.writeHead(200);
    response.write(`${JSON.stringify({ type: 'ADDED', object: before[of] })}\n`);
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: end })}\n`);
  });
  const source = sourceOn(url, {
    resources: ['Disk', 'Conn'].map(resource),
    labelSelector: 'team=shop',
    clock,
    connectionOf: ({ kind }) => (kind === 'Conn' ? undefined : 'Conn/main'),
    related: () => [],
  });
  await source.start(() => {});
  await expect.poll(() => source.sync.unknown()).toBeUndefined();
  const handle = source.open('Disk/shop/data');
  if (!handle) throw new Error('the disk is declared');
  return { handle, seen };
}

const suspended = { annotations: { 'holdfast.dev/suspend': 'true' } };

test.for<{ why: string; now: Now }>([
  { why: 'it was suspended as well', now: { disk: disk({ ...theirs, ...suspended }, 11) } },
  { why: 'it was edited as well', now: { disk: disk({ ...theirs, generation: 2, spec: {} }, 11) } },
  { why: 'nothing else was changed', now: { disk: disk(theirs, 11) } },
  { why: 'its connection is not, and nothing else was changed', now: { conn: conn(theirs, 11) } },
  { why: 'its connection was suspended as well', now: { conn: conn({ ...theirs, ...suspended }, 11) } },
])('what is not selected any more is not destroyed: $why', async ({ now }) => {
  const { handle } = await scene(now);
  await expect(handle.confirm(true)).rejects.toMatchObject({ name: 'ConflictError', reason: 'gone' });
});

test('what is selected still is confirmed, and so is an edit of its labels', async () => {
  const { handle } = await scene({ disk: disk({ labels: { team: 'shop', tier: 'x' } }, 11) });
  await expect(handle.confirm(true)).resolves.toBeUndefined();
});

test('a write that another one was before is not tried again', async () => {
  const { handle, seen } = await scene({ disk: disk(theirs, 11) });
  await expect(handle.writeStatus({ ...noStatus, tries: { a: 1 } })).rejects.toMatchObject({
    name: 'ConflictError',
  });
  expect(seen.filter(({ method }) => method === 'PUT')).toHaveLength(1);
});
