import { describe, expect, test } from 'vitest';
import { dialectNames, running, type Running } from '../running.ts';
import { proves } from '../../../coverage/proves.ts';

const tokenWith = async (here: Running, more: object): Promise<string> =>
  (await here.client.post('/setup/tokens', { policies: [], ...more })).json().token;
const self = (here: Running, token: string) => here.as(token, 'GET', '/v1/auth/token/lookup-self');

describe.each(dialectNames)('tokens of the embedded secrets service, %s', (dialect) => {
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
});

const logins: readonly { mount: string; body: object; status: number; says: string; why: string }[] = [
  { mount: 'approle', body: {}, status: 500, says: 'missing role_id', why: 'nothing given' },
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

  test('five wrong secret IDs lock an AppRole for everybody who uses it, for 15 minutes', async () => {
    const other = { mount: 'approle', name: 'other', roleID: 'o', accepts: 'canary-o', policies: [] };
    const here = await running({ seed: { authRoles: [...roles, other] } });
    const login = async (secret_id: string, role_id = 'r') => {
      const { status, text } = await here.as(undefined, 'POST', '/v1/auth/approle/login', {
        role_id,
        secret_id,
      });
      return status === 200 ? 200 : `${status} ${JSON.parse(text).errors.join()}`;
    };
    const wrong = '400 invalid role or secret ID';
    const locked = '403 permission denied';
    const minuteMs = 60_000;
    for (const _ of Array.from({ length: 4 })) expect(await login('no')).toBe(wrong);
    expect(await login('canary-yes')).toBe(200); // which has them forgotten, as time without attempts does
    for (const _ of Array.from({ length: 4 })) expect(await login('no')).toBe(wrong);
    here.clock.advance(15 * minuteMs);
    for (const _ of Array.from({ length: 5 })) expect(await login('no')).toBe(wrong);
    expect(await login('no')).toBe(locked);
    here.clock.advance(14 * minuteMs);
    expect(await login('canary-yes')).toBe(locked);
    expect(await login('canary-o', 'o')).toBe(200);
    here.clock.advance(minuteMs); // the look at a locked one does not prolong it
    expect(await login('canary-yes')).toBe(200);
    await here.stop();
  });

  test('a login method may be mounted elsewhere', async () => {
    proves(
      '`POST /v1/auth/{mount}/login` logs in by a service account, a role ID or a signed token, at any path',
    );
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
