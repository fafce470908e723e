// What holds for all endpoints, beyond what http-cases.ts and read-cases.ts ask. What only happens on bad days
// is ordered through the set-up API.
import { afterEach, describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import type { Bench } from './bench.ts';
import { HttpClient, type Answer } from './client.ts';

const said = ({ status, text }: Answer) => [status, text];
const calm = {
  leader: 'elected',
  lastContactMs: 0,
  prefixesErrors: false,
  codesErrors: false,
  connectionsPerClient: 0,
};

export function conventionCases(bench: Bench): void {
  const nomad = bench.target.dialectName === 'nomad';
  const blocking = [
    '/v1/volumes?type=csi',
    '/v1/volume/csi/absent',
    '/v1/allocations',
    '/v1/allocation/00000000-0000-4000-8000-000000000000',
  ];

  const order = (trouble: object) => bench.client.put('/setup/cluster', { ...calm, ...trouble });

  describe('conventions', () => {
    test.each(['/v1/volumes?type=csi', '/v1/volume/csi/a', '/v1/volumes/external', '/v1/volumes/snapshot'])(
      'HEAD is no method of %s',
      async (path) => {
        expect((await bench.client.send('HEAD', path)).status).toBe(405);
      },
    );

    test.each([
      { method: 'POST', path: '/v1/volumes/external' },
      { method: 'DELETE', path: '/v1/volumes?type=csi' },
      { method: 'POST', path: '/v1/volume/csi/a/create' },
      { method: 'POST', path: '/v1/volume/csi/a/delete' },
    ])('$method is no method of $path', async ({ method, path }) => {
      proves('the verbs are GET, PUT and DELETE; another one is refused with 405');
      expect(said(await bench.client.send(method, path, { body: {} }))).toEqual([405, 'Invalid method']);
    });

    test.each(blocking)(
      '%s tells the index, also of what is not there, and waits for the next',
      async (path) => {
        proves('a blocking read tells its index in `X-Cluster-Index`');
        proves('lists and reads of allocations block');
        proves('lists and reads of volumes block');
        const first = await bench.client.get(path);
        expect(bench.indexOf(first)).toBeGreaterThanOrEqual(0);
        const index = Math.max(1, bench.indexOf(first)); // 0 would not wait
        const at = `${path}${path.includes('?') ? '&' : '?'}index=${index}&wait=40ms`;
        const startedMs = performance.now();
        const second = await bench.client.get(at);
        expect(second.status).toBe(first.status);
        expect(bench.indexOf(second)).toBe(bench.indexOf(first));
        expect(performance.now() - startedMs).toBeGreaterThan(35);
        const stale = await bench.client.get(`${path}${path.includes('?') ? '&' : '?'}stale`);
        expect(bench.header(stale, 'knownLeader')).toBe('true');
      },
    );

    test('a write tells the index that it made, by which the next read is waited for', async () => {
      proves('`CreateIndex` and `ModifyIndex` are the indexes of the writes');
      const id = bench.fresh('indexed');
      const created = await bench.create(id);
      expect(bench.indexOf(created)).toBeLessThanOrEqual(bench.indexOf(await bench.list()));
      expect(bench.indexOf(created)).toBe((await bench.read(id)).ModifyIndex);
      const gone = await bench.client.delete(`/v1/volume/csi/${id}/delete`);
      expect(bench.indexOf(gone)).toBeGreaterThan(bench.indexOf(created));
    });

    test('pretty holds for what plugins tell, too', async () => {
      proves('replies are terse JSON; `pretty` formats them');
      const path = `/v1/volumes/external?plugin_id=${bench.target.plugin}&per_page=5`;
      expect((await bench.client.get(`${path}&pretty`)).text).toMatch(/^\{\n {4}"/);
    });

    test("the agent's own region is served, with a name and without", async () => {
      proves("`region` is by default the agent's own");
      const [own] = (await bench.client.get('/v1/regions')).json();
      expect((await bench.list(`&region=${own}`)).status).toBe(200);
      expect((await bench.list('&region=')).status).toBe(200);
      expect(said(await bench.client.delete('/v1/volume/csi/a?region=nowhere'))).toEqual([
        500,
        expect.stringContaining('No path to region'),
      ]);
    });
  });

  describe.runIf(bench.target.embedded)('bad days', () => {
    afterEach(() => order({}));

    test.each([
      { leader: 'none', text: 'No cluster leader' },
      { leader: 'unready', text: 'Not ready to serve consistent reads' },
    ])('with a leader that is $leader only stale reads are answered', async ({ leader, text }) => {
      proves('reads are consistent unless `stale` is asked for; any server may answer those');
      proves('`X-Cluster-LastContact` and `X-Cluster-KnownLeader` say how stale a reply is');
      const { ID } = await bench.created();
      await order({ leader, lastContactMs: 1_234 });
      for (const path of blocking) expect(said(await bench.client.get(path))).toEqual([500, text]);
      expect(said(await bench.client.get(`/v1/volume/csi/${ID}?stale=false`))).toEqual([500, text]);
      expect(said(await bench.create(bench.fresh('led')))).toEqual([500, text]);
      expect(said(await bench.client.delete(`/v1/volume/csi/${ID}?stale`))).toEqual([500, text]);
      const answer = await bench.client.get(`/v1/volume/csi/${ID}?stale`);
      expect(answer.json()).toMatchObject({ ID });
      expect(bench.header(answer, 'knownLeader')).toBe('false');
      expect(bench.header(answer, 'lastContact')).toBe('1234');
      expect(said(await bench.client.get('/v1/status/leader'))).toEqual([500, text]);
      expect((await bench.client.get('/v1/status/leader?stale')).json()).toBe('');
      const health = await bench.client.get('/v1/agent/health');
      expect([health.status, health.json().server]).toEqual([500, { ok: false, message: text }]);
      expect((await bench.client.get('/v1/agent/self')).status).toBe(200);
    });

    test('a server that lags says by how much, to who asked any server', async () => {
      proves('`X-Cluster-LastContact` and `X-Cluster-KnownLeader` say how stale a reply is');
      await order({ lastContactMs: 48 });
      expect(bench.header(await bench.list('&stale'), 'lastContact')).toBe('48');
      expect(bench.header(await bench.list('&stale'), 'knownLeader')).toBe('true');
      expect(bench.header(await bench.list(), 'lastContact')).toBe('0');
    });

    test('behind a hop errors are prefixed, except those about the request and permission', async () => {
      await order({ prefixesErrors: true });
      const gone = (path: string) => bench.client.delete(`/v1/volume/csi/absent${path}`);
      expect(said(await gone(''))).toEqual([500, 'rpc error: volume not found: absent']);
      expect(said(await gone('/detach'))).toEqual([400, 'detach requires node ID']);
      expect((await bench.client.get('/v1/volume/csi/absent')).text).toBe('volume not found');
    });

    test("codes can be those of the documents' table", async () => {
      proves("errors of volumes may have the codes of the documents' table");
      await order({ codesErrors: true });
      expect((await bench.client.delete('/v1/volume/csi/absent')).status).toBe(404);
      expect((await bench.create(bench.fresh('bad'), { PluginID: '' })).status).toBe(400);
      expect((await bench.create(bench.fresh('bad'), { PluginID: 'none' })).status).toBe(404);
    });

    test('one connection too many is told so at once, and closed', async () => {
      await order({ connectionsPerClient: 1 });
      const other = new HttpClient(bench.url);
      const answer = await other.get('/v1/status/leader');
      await other.close();
      await order({});
      expect(said(answer)).toEqual([
        429,
        'Your IP is issuing too many concurrent connections, please rate limit your calls\n',
      ]);
      expect(answer.header('connection')).toBe('close');
      const third = new HttpClient(bench.url);
      expect((await third.get('/v1/status/leader')).status).toBe(200);
      await third.close();
    });

    test('an order that is misspelt is refused', async () => {
      const answer = await bench.client.put('/setup/cluster', { leeder: 'none' });
      expect(said(answer)).toEqual([400, expect.stringContaining('leeder: unknown field')]);
    });

    test('plugin IDs are plain names: by the documents their beginning is enough, and it need not be hexadecimal', async () => {
      proves('`plugin_id` selects by prefix; plugin IDs are plain text');
      const { ID } = await bench.created();
      const odd = bench.target.plugin.slice(0, 3);
      expect((await bench.ids(`&plugin_id=${odd}`)).includes(ID)).toBe(!nomad);
    });
  });
}
