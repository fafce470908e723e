// Tokens and what they tell of themselves, policies, mounts.
import { describe, expect, test } from 'vitest';
import { proves } from '../../coverage/proves.ts';
import { said, type Bench } from './bench.ts';

export function tokenCases(bench: Bench): void {
  const create = async (more: object = {}): Promise<string> =>
    (await bench.client.post('/v1/auth/token/create', { policies: ['default'], ttl: '10m', ...more })).json()
      .auth.client_token;

  const renew = (token: string, body?: object) => bench.as(token, 'POST', '/v1/auth/token/renew-self', body);

  describe('tokens', () => {
    test('a look-up tells when one ends, and what it may', async () => {
      proves('`GET /v1/auth/token/lookup-self` tells what a token may, and until when');
      const token = await create();
      const { data } = (await bench.as(token, 'GET', '/v1/auth/token/lookup-self')).json();
      expect(data).toMatchObject({
        id: token,
        policies: ['default'],
        creation_ttl: 600,
        explicit_max_ttl: 0,
        renewable: true,
        path: 'auth/token/create',
        type: 'service',
      });
      expect(data.ttl).toBeGreaterThan(590);
      expect(Date.parse(data.expire_time)).toBeGreaterThan(Date.parse(data.issue_time));
    });

    test('renewing starts its time again; what is not renewable says so', async () => {
      proves('`POST /v1/auth/token/renew-self` starts its time again');
      const token = await create();
      const { auth } = (await renew(token)).json();
      expect(auth).toMatchObject({ client_token: token, lease_duration: 600, renewable: true });
      expect((await renew(token, { increment: '20m' })).json().auth.lease_duration).toBe(1_200);
      const fixed = await renew(await create({ renewable: false }));
      expect([fixed.status, fixed.text]).toEqual([400, expect.stringContaining('lease is not renewable')]);
    });

    test('a token may be asked to end, once', async () => {
      proves('`POST /v1/auth/token/revoke-self` ends it');
      const token = await create();
      expect((await bench.as(token, 'POST', '/v1/auth/token/revoke-self')).status).toBe(204);
      const after = await bench.as(token, 'POST', '/v1/auth/token/revoke-self');
      expect([after.status, after.text]).toEqual([403, expect.stringContaining('permission denied')]);
    });

    test('a child may do no more than its parent', async () => {
      const parent = await bench.token({ 'auth/token/create': ['update'] });
      const child = (policies: readonly string[]) =>
        bench.as(parent, 'POST', '/v1/auth/token/create', { policies });
      expect((await child(['default'])).status).toBe(200);
      const wider = await child(['default', bench.fresh('other')]);
      expect([wider.status, wider.text]).toEqual([
        400,
        expect.stringContaining('child policies must be subset of parent'),
      ]);
      expect((await child(['root'])).status).toBe(400);
    });

    test('one learns what it may do at which path', async () => {
      proves('`POST /v1/sys/capabilities-self` tells what a token may do on each path');
      const token = await bench.token({ 'a/b': ['read', 'list'], 'a/*': ['create'] });
      const paths = ['a/b', 'a/c', 'x'];
      const answer = await bench.as(token, 'POST', '/v1/sys/capabilities-self', { paths });
      expect(answer.json().data).toMatchObject({ 'a/c': ['create'], x: ['deny'] });
      expect(answer.json().data['a/b'].toSorted()).toEqual(['list', 'read']);
    });
  });

  describe('policies', () => {
    test('are written, read, listed and deleted; the root has none to show', async () => {
      const name = bench.fresh('policy');
      const at = `/v1/sys/policies/acl/${name}`;
      const policy = '# who reads\npath "secret/a" {\n  capabilities = ["read", "list"]\n}\n';
      expect((await bench.client.put(at, { policy })).status).toBe(204);
      expect((await bench.client.get(at)).json().data).toMatchObject({ name, policy });
      const list = (await bench.client.get('/v1/sys/policies/acl?list=true')).json().data.keys;
      expect(list).toEqual(expect.arrayContaining(['default', 'root', name]));
      expect((await bench.client.delete(at)).status).toBe(204);
      expect(said(await bench.client.get(at))).toEqual([404, []]);
      expect((await bench.client.put(at, { policy: 'path "a" { capabilities = ["fly"] }' })).status).toBe(
        400,
      );
      expect((await bench.client.put('/v1/sys/policies/acl/root', { policy })).status).toBe(400);
      expect((await bench.client.delete('/v1/sys/policies/acl/default')).status).toBe(400);
    });

    test('of passwords are written, read, listed and deleted', async () => {
      const name = bench.fresh('passwords');
      const at = `/v1/sys/policies/password/${name}`;
      const policy = 'length = 9\nrule "charset" {\n  charset = "xyz"\n  min-chars = 1\n}\n';
      expect((await bench.client.put(at, { policy })).status).toBe(204);
      expect((await bench.client.get(at)).json().data).toEqual({ policy });
      const list = (await bench.client.get('/v1/sys/policies/password?list=true')).json().data.keys;
      expect(list).toContain(name);
      expect((await bench.client.put(at, { policy: 'length = 1' })).status).toBe(400);
      expect((await bench.client.delete(at)).status).toBe(204);
      expect((await bench.client.get(at)).status).toBe(404);
    });
  });

  describe('mounts', () => {
    test.each([
      { table: 'mounts', type: 'ldap', missing: 'No secret engine mount at' },
      { table: 'auth', type: 'oidc', missing: 'No auth engine at' },
    ])(
      '$table: they come and go, taken paths and unknown types are refused',
      async ({ table, type, missing }) => {
        proves('`GET /v1/sys/mounts/{mount}` tells what is mounted');
        const name = bench.fresh('at');
        const at = `/v1/sys/${table}/${name}`;
        expect(said(await bench.client.get(at))).toEqual([400, [`${missing} ${name}/`]]);
        expect((await bench.client.post(at, { type, description: 'a test' })).status).toBe(204);
        const taken = await bench.client.post(at, { type });
        expect([taken.status, taken.text]).toEqual([
          400,
          expect.stringContaining(`path is already in use at ${name}/`),
        ]);
        const one = (await bench.client.get(at)).json().data;
        expect(one).toMatchObject({ type, description: 'a test', local: false, seal_wrap: false });
        const whole = (await bench.client.get(`/v1/sys/${table}`)).json();
        expect([whole.data[`${name}/`].type, whole[`${name}/`].type]).toEqual([type, type]);
        for (const _ of [1, 2]) expect((await bench.client.delete(at)).status).toBe(204);
        expect((await bench.client.get(at)).status).toBe(400);
        const unknown = await bench.client.post(at, { type: 'no-such-type' });
        expect([unknown.status, unknown.text]).toEqual([
          400,
          expect.stringMatching(/plugin not found in the catalog|unknown backend type/),
        ]);
      },
    );

    test('what a mount held goes with it', async () => {
      const name = bench.fresh('at');
      const mount = () => bench.client.post(`/v1/sys/auth/${name}`, { type: 'oidc' });
      const at = `/v1/auth/${name}/role/shop`;
      await mount();
      await bench.client.post(at, { user_claim: 'sub', allowed_redirect_uris: 'https://a/b' });
      expect((await bench.client.get(at)).status).toBe(200);
      await bench.client.delete(`/v1/sys/auth/${name}`);
      await mount();
      expect((await bench.client.get(at)).status).toBe(404);
      await bench.client.delete(`/v1/sys/auth/${name}`);
    });

    test('a token sees a mount that it has some right under, and no other', async () => {
      proves(
        '`GET /v1/sys/internal/ui/mounts/{mount}` tells a token what is mounted where it has some right',
      );
      proves(
        '`GET /v1/sys/internal/ui/mounts/auth/{mount}` tells a token what is mounted where it has some right',
      );
      const [mount, method] = [await bench.mounted('ldap'), await bench.mounted('oidc')];
      const token = await bench.token({ [`${mount}/*`]: ['read'], [`${method}/*`]: ['read'] });
      const see = (path: string) => bench.as(token, 'GET', `/v1/sys/internal/ui/mounts/${path}`);
      expect((await see(mount)).json().data).toMatchObject({ path: `${mount}/`, type: 'ldap' });
      const path = `${method.slice('auth/'.length)}/`;
      expect((await see(method)).json().data).toMatchObject({ path, type: 'oidc' });
      expect((await see(await bench.mounted('ldap'))).status).toBe(403);
      expect((await see(bench.fresh('nowhere'))).status).toBe(403);
    });
  });
}
