// Nomad 2.0 lists volumes namespace by namespace, and finds where a page begins by comparing tokens as text. There the token of
// `prod-eu` stands before those of `prod`, so a page that begins in `prod-eu` begins with `prod` again, and the pages never end.
import { expect, test } from 'vitest';
import { disks } from '../../../src/kinds/csi-volume/discovery.ts';
import { client, connectionTo, never, serve } from '../../api/servers.ts';

const volumes = ['prod', 'prod-eu'].flatMap((Namespace) =>
  Array.from({ length: 400 }, (_, i) => ({
    ID: `v${1_000 + i}`,
    Namespace,
    ExternalID: `${Namespace}-${i}`,
  })),
);
const tokenOf = ({ Namespace, ID }: (typeof volumes)[number]): string => `${Namespace}.${ID}`;

const nomad = () =>
  serve(({ url }, response) => {
    const { pathname, searchParams: query } = new URL(url, 'http://nomad');
    if (pathname === '/v1/plugins') response.end('[{"ID":"ebs"}]');
    else if (pathname === '/v1/volumes/external')
      response.end(JSON.stringify({ Volumes: [...volumes, { ExternalID: 'spare' }] }));
    else {
      const from = volumes.findIndex((one) => tokenOf(one) >= (query.get('next_token') ?? ''));
      const size = Number(query.get('per_page') ?? volumes.length);
      const next = volumes[from + size];
      if (next) response.setHeader('X-Nomad-NextToken', tokenOf(next));
      response.end(JSON.stringify(volumes.slice(from, from + size)));
    }
  });

test('which disks are not registered is found out all the same: it was not said at all', async () => {
  const { url } = await nomad();
  const found = await disks.find(client([url]), { connection: connectionTo([url]), mounts: [] }, never);
  expect(found.map(({ data }) => data)).toEqual(['spare']);
});
