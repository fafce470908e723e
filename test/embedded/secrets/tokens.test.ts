import { describe, expect, test } from 'vitest';
import { routes } from '../../../src/api/routes.ts';
import { secretsRoutes } from '../../../src/api/secrets/routes.ts';
import { configBody, dialectNames, roleBody, running, withRole, type Running } from './running.ts';

const tokenWith = async (here: Running, more: object): Promise<string> =>
  (await here.client.post('/setup/tokens', { policies: [], ...more })).json().token;
const policy = (here: Running, name: string, rules: Readonly<Record<string, readonly string[]>>) =>
  here.client.post('/setup/policies', {
    name,
    rules: Object.entries(rules).map(([path, capabilities]) => ({ path, capabilities })),
  });
const self = (here: Running, token: string) => here.as(token, 'GET', '/v1/auth/token/lookup-self');

/** Every operation that clients know and that asks for a token, on the mount and role of `withRole`. */
const guarded = Object.entries(secretsRoutes)
  .filter(([, route]) => route.acl !== 'none')
  .map(([op, route]) => {
    const path = route.path.replace('{mount}', 'ldap').replace('{role}', 'shop');
    const list = 'query' in route && 'list' in route.query ? '?list=true' : '';
    return { op, method: route.method, path, list, acl: route.acl };
  });

describe.each(dialectNames)('tokens of the embedded secrets service, %s', (dialect) => {
  test('every operation of the table can be denied, and is allowed by what the table says it needs', async () => {
    expect(guarded.length).toBeGreaterThan(10);
    expect(Object.keys(routes)).toEqual(expect.arrayContaining(guarded.map(({ op }) => op)));
    for (const { op, method, path, list, acl } of guarded) {
      const here = await withRole({ dialect });
      const acting = path.slice('/v1/'.length);
      await policy(here, 'default', {});
      await policy(here, 'all-but', {
        '*': ['create', 'read', 'update', 'delete', 'list'],
        [acting]: ['deny'],
      });
      await policy(here, 'only', { [acting]: [acl] });
      const asked = (token: string) =>
        here.as(token, method, path + list, method === 'POST' ? bodyFor(op) : undefined);
      const denied = await asked(await tokenWith(here, { policies: ['all-but'] }));
      expect([op, denied.status]).toEqual([op, 403]);
      const allowed = await asked(await tokenWith(here, { policies: ['only'] }));
      expect([op, allowed.status < 300, allowed.text]).toEqual([op, true, expect.anything()]);
      await here.stop();
    }
  });

  test('a token ends when its time is over, or when it is revoked, and says how much is left', async () => {
    const here = await running({ dialect });
    const token = await tokenWith(here, { ttlSeconds: 60 });
    here.clock.advance(15_500);
    expect((await self(here, token)).json().data).toMatchObject({
      ttl: 45,
      creation_ttl: 60,
      expire_time: '2026-11-20T00:01:00.000Z',
      policies: ['default'],
      renewable: true,
    });
    here.clock.advance(44_500);
    expect((await self(here, token)).status).toBe(403);
    const other = await tokenWith(here, {});
    expect((await here.as(other, 'POST', '/v1/auth/token/revoke-self')).status).toBe(204);
    expect((await self(here, other)).status).toBe(403);
    const third = await tokenWith(here, {});
    await here.client.post('/setup/tokens/revoke', { token: third });
    expect((await self(here, third)).status).toBe(403);
    await here.stop();
  });

  test('renewing starts its time again, up to its greatest age; what is not renewable says so', async () => {
    const here = await running({ dialect });
    const token = await tokenWith(here, { ttlSeconds: 60, maxTtlSeconds: 100 });
    const renew = async (body?: object) => here.as(token, 'POST', '/v1/auth/token/renew-self', body);
    here.clock.advance(30_000);
    expect((await renew()).json().auth).toMatchObject({ client_token: token, lease_duration: 60 });
    expect((await renew({ increment: '10s' })).json().auth.lease_duration).toBe(10);
    expect((await renew({ increment: 600 })).json()).toMatchObject({
      auth: { lease_duration: 70 },
      warnings: [expect.stringContaining('exceeded')],
    });
    here.clock.advance(70_000);
    expect((await renew()).status).toBe(403);
    const fixed = await tokenWith(here, { ttlSeconds: 60, renewable: false });
    const answer = await here.as(fixed, 'POST', '/v1/auth/token/renew-self');
    expect([answer.status, answer.json()]).toEqual([400, { errors: ['lease is not renewable'] }]);
    await here.stop();
  });

  test('a token learns what it may do, and what mount it may see', async () => {
    const here = await running({ dialect });
    await policy(here, 'p', { 'ldap/*': ['read', 'list'] });
    const token = await tokenWith(here, { policies: ['p'] });
    const paths = ['ldap/config', 'sys/mounts'];
    const answer = await here.as(token, 'POST', '/v1/sys/capabilities-self', { paths });
    expect(answer.json().data).toEqual({ 'ldap/config': ['read', 'list'], 'sys/mounts': ['deny'] });
    const probe = (path: string, by = token) => here.as(by, 'GET', `/v1/sys/internal/ui/mounts/${path}`);
    expect((await probe('ldap/config')).json().data).toMatchObject({ path: 'ldap/', type: 'ldap' });
    expect((await probe('none')).status).toBe(403);
    expect((await probe('ldap', await tokenWith(here, {}))).status).toBe(403);
    await here.stop();
  });

  test('creating needs `create`, writing again needs `update`', async () => {
    const here = await running({ dialect });
    await policy(here, 'creates', { 'ldap/*': ['create'] });
    const token = await tokenWith(here, { policies: ['creates'] });
    const write = () => here.as(token, 'POST', '/v1/ldap/config', configBody());
    expect([(await write()).status, (await write()).status]).toEqual([204, 403]);
    await here.stop();
  });
});

/** A body with which the operation succeeds. */
function bodyFor(op: string): object {
  return op === 'ldap.config.write' ? configBody() : op === 'ldap.role.write' ? roleBody('shop') : {};
}

const logins: readonly { mount: string; body: object; status: number; says: string; why: string }[] = [
  { mount: 'approle', body: {}, status: 400, says: 'missing role_id', why: 'nothing given' },
  { mount: 'approle', body: { role_id: 'r' }, status: 400, says: 'missing secret_id', why: 'half of it' },
  {
    mount: 'approle',
    body: { role_id: 'r', secret_id: 'canary-no' },
    status: 400,
    says: 'invalid role or secret ID',
    why: 'wrong',
  },
  {
    mount: 'approle',
    body: { role_id: 'q', secret_id: 'canary-yes' },
    status: 400,
    says: 'invalid role or secret ID',
    why: 'no such role',
  },
  { mount: 'kubernetes', body: { jwt: 'canary-yes' }, status: 400, says: 'missing role', why: 'no role' },
  { mount: 'kubernetes', body: { role: 'r' }, status: 400, says: 'missing jwt', why: 'no token' },
  {
    mount: 'kubernetes',
    body: { role: 'q', jwt: 'canary-yes' },
    status: 400,
    says: 'invalid role name "q"',
    why: 'no such role',
  },
  {
    mount: 'kubernetes',
    body: { role: 'r', jwt: 'canary-no' },
    status: 403,
    says: 'permission denied',
    why: 'wrong',
  },
  { mount: 'jwt', body: { jwt: 'canary-yes' }, status: 400, says: 'missing role', why: 'no role' },
  {
    mount: 'jwt',
    body: { role: 'q', jwt: 'canary-yes' },
    status: 400,
    says: 'role "q" could not be found',
    why: 'no such role',
  },
  { mount: 'jwt', body: { role: 'r' }, status: 400, says: 'missing token', why: 'no token' },
  {
    mount: 'jwt',
    body: { role: 'r', jwt: 'canary-no' },
    status: 400,
    says: 'error validating token',
    why: 'wrong',
  },
];

describe('logins', () => {
  const roles = ['approle', 'kubernetes', 'jwt'].map((mount) => ({
    mount,
    name: 'r',
    accepts: 'canary-yes',
    policies: ['p'],
    ttlSeconds: 90,
  }));

  test.each(logins)('$mount refuses with "$says": $why', async ({ mount, body, status, says }) => {
    const here = await running({ seed: { authRoles: roles } });
    const answer = await here.as(undefined, 'POST', `/v1/auth/${mount}/login`, body);
    expect([answer.status, answer.text]).toEqual([
      status,
      expect.stringContaining(JSON.stringify(says).slice(1, -1)),
    ]);
    expect(answer.text).not.toContain('canary');
    expect(here.server.counters().logins).toBe(0);
    await here.stop();
  });

  test.each([
    { mount: 'approle', body: { role_id: 'r', secret_id: 'canary-yes' } },
    { mount: 'kubernetes', body: { role: 'r', jwt: 'canary-yes' } },
    { mount: 'jwt', body: { role: 'r', jwt: 'canary-yes' } },
  ])('$mount grants a token with the policies and the time of its role', async ({ mount, body }) => {
    const here = await running({ seed: { authRoles: roles } });
    const { auth, data } = (await here.as(undefined, 'POST', `/v1/auth/${mount}/login`, body)).json();
    expect(data).toBeNull();
    expect(auth).toMatchObject({ policies: ['default', 'p'], lease_duration: 90, renewable: true });
    expect((await self(here, auth.client_token)).json().data).toMatchObject({
      ttl: 90,
      path: `auth/${mount}/login`,
    });
    expect(here.server.counters()).toMatchObject({
      logins: 1,
      routes: { 'POST /v1/auth/{mount}/login': 1 },
    });
    await here.stop();
  });

  test('a login method may be mounted elsewhere', async () => {
    const seed = {
      mounts: [{ path: 'auth/clusters/a', type: 'kubernetes' }],
      authRoles: [{ mount: 'clusters/a', name: 'r', accepts: 'canary-yes', policies: [] }],
    };
    const here = await running({ seed });
    const body = { role: 'r', jwt: 'canary-yes' };
    expect((await here.as(undefined, 'POST', '/v1/auth/clusters/a/login', body)).status).toBe(200);
    expect((await here.as(undefined, 'POST', '/v1/auth/kubernetes/login', body)).status).toBe(400);
    await here.stop();
  });
});
