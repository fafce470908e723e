// How the service speaks HTTP, and what surrounds volumes.
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import type { Bench } from './bench.ts';
import { HttpClient, type Answer } from './client.ts';

const said = ({ status, text }: Answer) => [status, text];

export function httpCases(bench: Bench): void {
  const { target, dialect } = bench;

  describe('HTTP', () => {
    test('an unknown route is an empty 404, what lies below a known one says so, a wrong method is 405', async () => {
      proves('the verbs are GET, PUT and DELETE; another one is refused with 405');
      proves('an unknown route is an empty 404');
      const { client } = bench;
      expect(said(await client.get('/v1/nothing-of-the-kind'))).toEqual([404, '']);
      expect(said(await client.put('/v1/volume/csi/a/b', {}))).toEqual([404, 'resource not found']);
      expect(said(await client.get('/v1/volume/csi/a/b'))).toEqual([405, 'Invalid method']);
      const method = await client.post('/v1/volume/csi/a', {});
      expect(said(method)).toEqual([405, 'Invalid method']);
      expect(method.header('content-type')).toMatch(/^text\/plain/);
    });

    test('an encoded slash in an ID separates like a plain one: such an ID never reaches a volume', async () => {
      expect(said(await bench.client.delete('/v1/volume/csi/a%2Fb'))).toEqual([404, 'resource not found']);
    });

    test('JSON is terse, and pretty when asked; by the documents whatever the value, really not by 0', async () => {
      proves('replies are terse JSON; `pretty` formats them');
      const terse = await bench.client.get('/v1/agent/self');
      expect(terse.text).not.toContain('\n');
      expect(terse.header('content-type')).toBe('application/json');
      expect((await bench.client.get('/v1/agent/self?pretty')).text).toMatch(/^\{\n {4}"/);
      const zero = await bench.client.get('/v1/agent/self?pretty=0');
      expect(zero.text.includes('\n')).toBe(target.dialectName !== 'nomad');
    });

    test('a client that offers gzip gets gzip', async () => {
      proves('`Accept-Encoding: gzip` compresses the reply');
      const headers = { 'accept-encoding': 'gzip' };
      const packed = await bench.client.get('/v1/agent/self', { headers });
      expect(packed.header('content-encoding')).toBe('gzip');
      const { member } = JSON.parse(gunzipSync(packed.bytes).toString());
      expect(member).toEqual((await bench.client.get('/v1/agent/self')).json().member);
    });

    test.skipIf(target.token === undefined)(
      'without the right token nothing but the leader is told',
      async () => {
        proves('`GET /v1/status/leader` tells the leader, even without a token');
        proves("`X-Cluster-Token` has the token's secret; without one it is 403");
        const bearer = { authorization: `bearer ${target.token ?? ''}` };
        const nobody = new HttpClient(bench.url);
        const list = (headers: Readonly<Record<string, string>>) =>
          nobody.get('/v1/volumes?type=csi', { headers }).then(said);
        for (const wrong of [
          {},
          { [dialect.headers.token]: 'x' },
          { ...bearer, [dialect.headers.token]: 'x' },
        ]) {
          expect(await list(wrong)).toEqual([403, 'Permission denied']);
        }
        expect((await list(bearer))[0]).toBe(200);
        for (const headers of [{}, { [dialect.headers.token]: 'x' }])
          expect((await nobody.get('/v1/status/leader', { headers })).status).toBe(200);
        await nobody.close();
      },
    );

    test.each([
      { query: 'wait=soon&index=1', text: 'Invalid wait time', why: 'a wait is a duration' },
      { query: 'wait=10', text: 'Invalid wait time', why: 'with a unit' },
      { query: 'index=x', text: 'Invalid index', why: 'an index is a number' },
      { query: 'per_page=many', text: 'Expect a number for `per_page`', why: 'a page has a size' },
      { query: 'stale=maybe', text: 'Expect `true` or `false` for `stale`', why: 'stale is a flag' },
    ])('400 for ?$query: $why', async ({ query, text }) => {
      proves('`wait` is a duration with a unit');
      proves('400 is a request that is refused, and nothing was done');
      expect(said(await bench.list(`&${query}`))).toEqual([400, expect.stringContaining(text)]);
    });

    test('no body and a broken one are 400, and a region that is not served is no path', async () => {
      const put = (body: unknown) => bench.client.put('/v1/volume/csi/x', body);
      expect(said(await put(undefined))).toEqual([400, 'Request body is empty']);
      expect((await put('{"Volumes":[')).status).toBe(400);
      expect((await put({ Volumes: 'a' })).status).toBe(400);
      const elsewhere = await bench.list('&region=nowhere');
      expect(said(elsewhere)).toEqual([500, expect.stringContaining('No path to region')]);
    });
  });

  describe('the cluster around volumes', () => {
    test('the leader is a JSON string, the agent tells its version and its health', async () => {
      proves('`GET /v1/status/leader` tells the leader, even without a token');
      proves("`GET /v1/agent/self` tells the agent's version");
      expect((await bench.client.get('/v1/status/leader')).json()).toMatch(/:\d+$/);
      const self = await bench.client.get('/v1/agent/self');
      expect(self.json()).toMatchObject({ member: { Tags: { build: expect.stringMatching(/^\d+\.\d+/) } } });
      expect((await bench.client.get('/v1/agent/health')).json()).toHaveProperty('server.ok', true);
    });

    test('nodes, plugins, namespaces and regions are listed and read', async () => {
      proves('`GET /v1/plugins`, `GET /v1/nodes` and `GET /v1/jobs` list what surrounds volumes');
      const { client } = bench;
      const nodes = (await client.get('/v1/nodes')).json();
      const node = await client.get(`/v1/node/${nodes[0].ID}`);
      expect(node.json()).toMatchObject({ ID: nodes[0].ID, Name: nodes[0].Name, Status: 'ready' });
      const plugins = await client.get('/v1/plugins?type=csi');
      expect(plugins.json()).toContainEqual(expect.objectContaining({ ID: target.plugin }));
      expect(bench.indexOf(plugins)).toBeGreaterThan(0);
      const plugin = await client.get(`/v1/plugin/csi/${target.plugin}`);
      expect(plugin.json()).toMatchObject({ ID: target.plugin, ControllerRequired: true });
      const namespaces = (await client.get('/v1/namespaces')).json();
      expect(namespaces).toContainEqual(expect.objectContaining({ Name: 'default' }));
      expect((await client.get('/v1/regions')).json()).toHaveLength(1);
      const jobs: readonly { ID: string }[] = (await client.get('/v1/jobs')).json();
      const { job = jobs[0]?.ID } = target;
      expect(jobs.map(({ ID }) => ID)).toContain(job);
    });

    const nobody = '00000000-0000-4000-8000-000000000000';
    test.each([
      { path: 'plugin/csi/none', status: 404, text: 'plugin not found', why: 'there is none' },
      { path: `allocation/${nobody}`, status: 404, text: 'alloc not found', why: 'there is none' },
      {
        path: 'allocation/short',
        status: bench.malformed,
        text: 'must be 36 characters',
        why: 'short IDs are not looked up',
      },
      {
        path: 'allocations?prefix=abc',
        status: bench.malformed,
        text: 'must be even length',
        why: 'UUIDs are bytes',
      },
      { path: 'allocations?prefix=zz', status: bench.malformed, text: 'Invalid UUID', why: 'in hexadecimal' },
      target.dialectName === 'nomad'
        ? { path: 'volumes?type=csi&node_id=zz', status: 200, text: '[]', why: 'none begins like that' }
        : { path: 'volumes?type=csi&node_id=zz', status: 400, text: 'Invalid UUID', why: 'in hexadecimal' },
    ])('/v1/$path is $status: $why', async ({ path, status, text }) => {
      proves('prefixes of IDs have an even number of hexadecimal digits');
      proves('`GET /v1/allocation/{id}` reads one by its whole UUID');
      proves('lists of volumes select by `node_id` and `plugin_id`');
      expect(said(await bench.client.get(`/v1/${path}`))).toEqual([status, expect.stringContaining(text)]);
    });
  });
}
