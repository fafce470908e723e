// What a provider's list of disks may have in it: one entry that is no disk ended `unmanaged` and `export` as a bug.
import { expect, test } from 'vitest';
import { disks } from '../../../src/kinds/csi-volume/discovery.ts';
import { client, connectionTo, never, serve } from '../../api/servers.ts';

test.for<{ why: string; Volumes: unknown; found: readonly string[] }>([
  { why: 'an entry is null', Volumes: [null, { ExternalID: 'spare' }], found: ['spare'] },
  { why: 'an entry has no ID', Volumes: [{}, { ExternalID: 7 }, { ExternalID: 'spare' }], found: ['spare'] },
  { why: 'entries are no objects', Volumes: [7, 'x', { ExternalID: 'spare' }], found: ['spare'] },
  { why: 'it is no list', Volumes: { ExternalID: 'spare' }, found: [] },
  { why: 'there is none', Volumes: null, found: [] },
])('the disks among it are found: $why', async ({ Volumes, found }) => {
  const { url } = await serve(({ url: at }, response) => {
    if (at.startsWith('/v1/plugins')) response.end('[{"ID":"ebs"}]');
    else response.end(at.startsWith('/v1/volumes/external') ? JSON.stringify({ Volumes }) : '[]');
  });
  const all = await disks.find(client([url]), { connection: connectionTo([url]), mounts: [] }, never);
  expect(all.map(({ data }) => data)).toEqual(found);
});
