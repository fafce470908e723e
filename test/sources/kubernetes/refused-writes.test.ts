// Which refused writes are told of beside the conditions: only those of a status. Of any other, the conditions tell themselves, and
// that these were written does not mean that the other write would succeed now.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { isRecord, parseJson } from '../../../src/core/json.ts';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent } from './objects.ts';
import { sourceOn } from './opened-source.ts';

const disk = { apiVersion: 'holdfast.dev/v1alpha1', kind: 'Disk', plural: 'disks', namespaced: true };
const end = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};

/** @param refused the methods that the API server refuses, by a set that a test may change */
async function opened(refused: ReadonlySet<string>) {
  const object = sent({ version: 10 });
  const { url } = await serve(({ method, url: path, body }, response) => {
    if (path.includes('watch=')) {
      response.write(`${JSON.stringify({ type: 'ADDED', object })}\n${JSON.stringify(end)}\n`);
      return;
    }
    response.writeHead(refused.has(method) ? 403 : 200);
    const written = parseJson(body);
    const metadata = { ...object.metadata, resourceVersion: '11' };
    response.end(
      JSON.stringify(
        refused.has(method)
          ? { reason: 'Forbidden' }
          : { ...object, status: isRecord(written) ? written['status'] : undefined, metadata },
      ),
    );
  });
  const heard: string[] = [];
  const writes = {
    refused: (_key: string, { message }: Error) => void heard.push(message),
    written: () => void heard.push('written'),
  };
  const source = sourceOn(url, { resources: [disk], clock: new ManualClock(), writes });
  await source.start(() => {});
  const [key = ''] = source.keys();
  const handle = source.open(key);
  if (!handle) throw new Error('it is not there');
  return { handle, heard };
}

const status = { ...noStatus, observedGeneration: 1 };

test('a status that may not be written is told of, and that it may again', async () => {
  const refused = new Set(['PUT']);
  const { handle, heard } = await opened(refused);
  await expect(handle.writeStatus(status)).rejects.toMatchObject({ reason: 'PermissionDenied' });
  refused.clear();
  await handle.writeStatus(status);
  expect(heard).toEqual(['disks.status: Forbidden', 'written']);
});

test('a finalizer that may not be set is not: its object says so, and it would seem to be set right after', async () => {
  const { handle, heard } = await opened(new Set(['PATCH']));
  await expect(handle.hold()).rejects.toMatchObject({ reason: 'PermissionDenied' });
  await handle.writeStatus(status);
  expect(heard).toEqual(['written']);
});
