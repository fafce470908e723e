// Namespaces: mounts, policies and tokens of their own, under a header, a path, or half of each.
import { describe, expect, test } from 'vitest';
import { until } from '../client.ts';
import { said, type Bench } from './bench.ts';

export function namespaceCases(bench: Bench): void {
  const { headers } = bench.dialect;
  const at = (namespace: string) => ({ headers: { [headers.namespace]: namespace } });
  const made = async (): Promise<string> => {
    const name = bench.fresh('team');
    const answer = await bench.client.post(`/v1/sys/namespaces/${name}`, {});
    if (answer.status !== 200) throw new Error(`a namespace to start from: ${answer.text}`);
    return name;
  };
  const gone = async (name: string): Promise<void> => {
    await bench.client.delete(`/v1/sys/namespaces/${name}`);
    await until(
      'the namespace is gone',
      async () => (await bench.client.get(`/v1/sys/namespaces/${name}`)).status === 404,
    );
  };

  describe('namespaces', () => {
    test('are made, read, listed and deleted; names are single and some are reserved', async () => {
      const name = await made();
      const read = (await bench.client.get(`/v1/sys/namespaces/${name}`)).json().data;
      expect(read).toMatchObject({ path: `${name}/`, tainted: false, locked: false, custom_metadata: {} });
      const custom_metadata = { owner: 'shop' };
      const again = await bench.client.put(`/v1/sys/namespaces/${name}`, { custom_metadata });
      expect(again.json()).toMatchObject({ data: { id: read.id, custom_metadata }, warnings: null });
      const { data } = (await bench.client.get('/v1/sys/namespaces?list=true')).json();
      expect([data.keys, data.key_info[`${name}/`].id]).toEqual([
        expect.arrayContaining([`${name}/`]),
        read.id,
      ]);
      for (const wrong of ['sys', 'root', 'a/b']) {
        expect((await bench.client.post(`/v1/sys/namespaces/${wrong}`, {})).status).toBe(400);
      }
      await gone(name);
      const absent = await bench.client.delete(`/v1/sys/namespaces/${name}`);
      expect([absent.status, absent.json().warnings]).toEqual([200, ['requested namespace does not exist']]);
    });

    test('one that is not there is told, whatever is asked of it; the header is echoed', async () => {
      const name = bench.fresh('nowhere');
      for (const path of ['ldap/config', 'sys/mounts', 'auth/token/lookup-self']) {
        const answer = await bench.client.get(`/v1/${path}`, at(`${name}/`));
        expect(said(answer)).toEqual([404, ['namespace not found']]);
        expect(answer.header(headers.namespace)).toBe(`${name}/`);
      }
      expect((await bench.client.get('/v1/sys/mounts', at('root'))).status).toBe(200);
    });

    test('what is of the service as a whole is in none of them', async () => {
      const name = await made();
      const inside = await bench.client.get('/v1/sys/health', at(name));
      expect(said(inside)).toEqual([400, ['operation unavailable in namespaces']]);
      expect((await bench.client.get(`/v1/${name}/sys/health`)).status).toBe(400);
      expect((await bench.client.get('/v1/sys/health', at('nowhere'))).status).toBe(400);
      await gone(name);
    });

    test('a mount is of one, found by header and by path, and goes with it', async () => {
      const [one, other] = [await made(), await made()];
      const mounted = await bench.client.send('POST', '/v1/sys/auth/oidc-a', {
        ...at(one),
        body: { type: 'oidc' },
      });
      expect(mounted.status).toBe(204);
      const role = { user_claim: 'sub', allowed_redirect_uris: 'https://a/b' };
      expect((await bench.client.post(`/v1/${one}/auth/oidc-a/role/shop`, role)).status).toBe(204);
      const read = await bench.client.get('/v1/auth/oidc-a/role/shop', at(one));
      expect([read.status, read.json().data.user_claim]).toEqual([200, 'sub']);
      expect((await bench.client.get('/v1/auth/oidc-a/role/shop')).status).toBe(404);
      expect((await bench.client.get('/v1/auth/oidc-a/role/shop', at(other))).status).toBe(404);
      const pathFrom = async (path: string, sent = {}) =>
        (await bench.client.get(`/v1/sys/internal/ui/mounts/${path}`, sent)).json().data.path;
      const fromBoth = [await pathFrom('auth/oidc-a', at(one)), await pathFrom(`${one}/auth/oidc-a`)];
      expect(fromBoth).toEqual(['oidc-a/', `${one}/auth/oidc-a/`]);
      const table = async (namespace: string) =>
        Object.keys((await bench.client.get('/v1/sys/auth', at(namespace))).json().data);
      expect([await table(one), await table(other)]).toEqual([
        expect.arrayContaining(['oidc-a/']),
        expect.not.arrayContaining(['oidc-a/']),
      ]);
      await gone(one);
      expect((await bench.client.get(`/v1/${one}/auth/oidc-a/role/shop`)).status).toBe(404);
      await gone(other);
    });

    test('one may lie in another, and that one is not deleted then', async () => {
      const outer = await made();
      const inner = await bench.client.send('POST', '/v1/sys/namespaces/a', { ...at(outer), body: {} });
      expect(inner.json().data.path).toBe(`${outer}/a/`);
      expect((await bench.client.get('/v1/sys/mounts', at(`${outer}/a`))).status).toBe(200);
      expect((await bench.client.get(`/v1/a/sys/mounts`, at(outer))).status).toBe(200);
      const blocked = await bench.client.delete(`/v1/sys/namespaces/${outer}`);
      expect([blocked.status, blocked.text]).toEqual([
        400,
        expect.stringContaining('containing child namespaces'),
      ]);
      await bench.client.delete(`/v1/${outer}/sys/namespaces/a`);
      await until(
        'the inner one is gone',
        async () => (await bench.client.get(`/v1/${outer}/sys/namespaces/a`)).status === 404,
      );
      await gone(outer);
    });

    test('a token of one reaches below it and not beside it, with the policies that it has there', async () => {
      const [one, other] = [await made(), await made()];
      const policy = JSON.stringify({ path: { 'sys/mounts': { capabilities: ['read'] } } });
      await bench.client.send('PUT', '/v1/sys/policies/acl/reader', { ...at(one), body: { policy } });
      const created = await bench.client.send('POST', '/v1/auth/token/create', {
        ...at(one),
        body: { policies: ['reader'], ttl: '10m' },
      });
      const token: string = created.json().auth.client_token;
      expect(created.json().auth.policies).toEqual(['default', 'reader']);
      const see = async (path: string) => (await bench.as(token, 'GET', `/v1/${path}`)).status;
      expect(await see(`${one}/sys/mounts`)).toBe(200);
      expect([await see(`${other}/sys/mounts`), await see('sys/mounts')]).toEqual([403, 403]);
      const self = (await bench.as(token, 'GET', `/v1/${one}/auth/token/lookup-self`)).json().data;
      expect(self.namespace_path).toBe(`${one}/`);
      expect(await see('auth/token/lookup-self')).toBe(200); // a token knows itself from anywhere
      expect(await see(`${other}/auth/token/lookup-self`)).toBe(200);
      const asked = `/v1/${other}/sys/capabilities-self`;
      expect((await bench.as(token, 'POST', asked, { paths: ['ldap/config'] })).status).toBe(403);
      await gone(one);
      await gone(other);
    });

    test('a token of the root namespace reaches into others by whole paths', async () => {
      const name = await made();
      const token = await bench.token({ [`${name}/sys/mounts`]: ['read'] });
      expect((await bench.as(token, 'GET', `/v1/${name}/sys/mounts`)).status).toBe(200);
      expect((await bench.as(token, 'GET', `/v1/${name}/sys/auth`)).status).toBe(403);
      await gone(name);
    });
  });
}
