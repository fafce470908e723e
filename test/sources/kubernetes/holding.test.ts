// The finalizer and the intent are what proves that a disk is ours: without them none is made.
import { expect, test } from 'vitest';
import type { Metadata } from '../../../src/api/kubernetes/resources.ts';
import { isJsonMap, parseJson } from '../../../src/core/json.ts';
import type { Json } from '../../../src/core/secret.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent } from './objects.ts';
import { sourceOn } from './opened-source.ts';

const disks = { apiVersion: 'holdfast.dev/v1alpha1', kind: 'Disk', plural: 'disks', namespaced: true };

/** @param admit what an admission webhook makes of what is written */
async function handleWhere(admit: (written: Partial<Metadata>) => Partial<Metadata>) {
  const initial = { 'k8s.io/initial-events-end': 'true' };
  const end = { metadata: { resourceVersion: '9', annotations: initial } };
  let object = sent({ version: 10 });
  const { url } = await serve((request, response) => {
    if (request.method === 'PATCH') {
      // oxlint-disable-next-line no-unsafe-type-assertion -- JSON
      const patch = parseJson(request.body) as Json;
      const written = isJsonMap(patch) && isJsonMap(patch['metadata']) ? patch['metadata'] : {};
      object = sent({ ...object.metadata, ...admit(written), resourceVersion: '11', version: 11 });
    }
    if (!request.url.includes('watch=true')) return void response.end(JSON.stringify(object));
    response.writeHead(200);
    if (request.url.includes('/disks')) response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: end })}\n`);
  });
  const source = sourceOn(url, { resources: [disks], clock: new ManualClock() });
  await source.start(() => {});
  const handle = source.open('Disk/shop/data');
  if (!handle) throw new Error('the disk is declared');
  return handle;
}

test.for<{ what: string; admit: Parameters<typeof handleWhere>[0] }>([
  { what: 'no finalizer', admit: (written) => ({ ...written, finalizers: [] }) },
  { what: 'no intent', admit: (written) => ({ ...written, annotations: {} }) },
])(
  'of what is stored with $what nothing is made: deleted, it would be gone at once, and its disk left',
  async ({ admit }) => {
    const handle = await handleWhere(admit);
    await expect(handle.hold(noStatus)).rejects.toMatchObject({
      class: 'refused',
      reason: 'Rejected',
      message: 'disks.patch: the finalizer is not stored as sent, as where an admission webhook changes it',
    });
  },
);

test('what is stored as it was sent is held', async () => {
  const handle = await handleWhere((written) => written);
  await handle.hold(noStatus);
  expect(handle.object.held).toBe(true);
});
