import { describe, expect, test } from 'vitest';
import { secretsDialects } from '../../../src/api/dialects.ts';
import { startSecrets } from '../../../src/embedded/secrets/server.ts';
import { HttpClient } from '../../contract/client.ts';
import { proves } from '../../coverage/proves.ts';
import { configBody, dialectNames, roleBody, running, withRole } from './running.ts';

describe.each(dialectNames)('the embedded secrets service, %s', (dialect) => {
  test('a sealed service says 503 to all but health and seal status', async () => {
    const here = await running({ dialect });
    await here.client.post('/setup/seal', {});
    for (const path of ['ldap/config', 'auth/token/lookup-self', 'sys/mounts', 'nope/x']) {
      const answer = await here.client.get(`/v1/${path}`);
      expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('is sealed')]);
    }
    expect((await here.as(undefined, 'GET', '/v1/sys/health')).status).toBe(503);
    const health = await here.as(undefined, 'GET', '/v1/sys/health?sealedcode=200');
    expect([health.status, health.json()]).toMatchObject([200, { sealed: true, initialized: true }]);
    expect((await here.as(undefined, 'GET', '/v1/sys/seal-status')).json()).toMatchObject({ sealed: true });
    await here.client.post('/setup/unseal', {});
    expect((await here.client.get('/v1/sys/mounts')).status).toBe(200);
    await here.stop();
  });

  test('a write that has nothing to say may warn', async () => {
    const here = await running({ dialect });
    await here.client.post('/setup/warning', { text: 'mind the gap' });
    const answer = await here.client.post('/v1/ldap/config', configBody());
    expect([answer.status, answer.json()]).toMatchObject([200, { data: null, warnings: ['mind the gap'] }]);
    await here.stop();
  });

  test('a path that is not percent-encoded is none', async () => {
    const here = await running({ dialect });
    const answer = await here.client.get('/v1/ldap/%zz');
    expect([answer.status, answer.json()]).toEqual([
      400,
      { errors: ['the path is not correctly percent-encoded'] },
    ]);
    await here.stop();
  });

  test('one that was never set up says so, and is sealed to all else', async () => {
    const here = await running({ dialect, switches: { initialized: false } });
    const ask = (path: string) => here.as(undefined, 'GET', `/v1/sys/${path}`);
    expect([(await ask('health')).status, (await ask('health?uninitcode=200')).json()]).toMatchObject([
      501,
      { initialized: false, sealed: true },
    ]);
    expect((await ask('init')).json()).toEqual({ initialized: false });
    expect((await here.client.get('/v1/sys/mounts')).status).toBe(503);
    await here.stop();
  });

  test.each([
    { kind: 'performance', status: 473, code: 'performancestandbycode', ok: 200 },
    { kind: 'recovery', status: 472, code: 'drsecondarycode', ok: 472 },
  ])('a standby of kind $kind tells its health as $status', async ({ kind, status, code, ok }) => {
    const here = await running({ dialect });
    await here.client.post('/setup/standby', { kind });
    const queries = ['', `?${code}=298`, '?perfstandbyok=true&standbyok=true', '?activecode=x'];
    const answers = queries.map((query) => here.as(undefined, 'GET', `/v1/sys/health${query}`));
    expect((await Promise.all(answers)).map((one) => one.status)).toEqual([status, 298, ok, 400]);
    await here.stop();
  });

  test('who asks too often is told so, and for how long where that is told', async () => {
    const here = await running({ dialect });
    await here.client.post('/setup/switches', { limited: 'ldap/' });
    const ask = () => here.client.get('/v1/ldap/config');
    const first = await ask();
    expect([first.status, first.header('retry-after'), first.json()]).toEqual([
      429,
      undefined,
      { errors: ['request path "ldap/config": rate limit quota exceeded'] },
    ]);
    await here.client.post('/setup/switches', { retryAfterSeconds: 7 });
    expect((await ask()).header('retry-after')).toBe('7');
    expect((await here.client.get('/v1/sys/mounts')).status).toBe(200);
    await here.client.post('/setup/switches', { limited: '' });
    expect((await ask()).status).toBe(404);
    await here.stop();
  });

  test('a standby forwards, unless it must not: then it says where to go', async () => {
    const here = await running({ dialect });
    await here.client.post('/setup/standby', { activeURL: 'http://10.0.0.1:8200' });
    expect((await here.client.get('/v1/sys/mounts')).status).toBe(200);
    const headers = { [secretsDialects[dialect].headers.noForwarding]: 'true' };
    const answer = await here.client.send('LIST', '/v1/ldap/static-role?a=1', { headers });
    expect([answer.status, answer.header('location')]).toEqual([
      307,
      'http://10.0.0.1:8200/v1/ldap/static-role?a=1',
    ]);
    const statuses = ['', '?standbyok=true', '?standbycode=299', '?standbyok=0', '?standbyok'];
    const answers = statuses.map((query) => here.as(undefined, 'GET', `/v1/sys/health${query}`));
    expect((await Promise.all(answers)).map((one) => one.status)).toEqual([429, 200, 299, 429, 200]);
    expect((await here.as(undefined, 'HEAD', '/v1/sys/health')).text).toBe('');
    expect((await here.client.get('/v1/sys/leader')).json()).toMatchObject({ is_self: false });
    await here.stop();
  });
});

describe('the embedded secrets service', () => {
  test('mounts come and go, at any depth; the longest one answers, and takes what it held with it', async () => {
    proves('engines may be mounted at any path');
    const here = await running();
    const mount = (path: string) => here.client.post(`/v1/sys/mounts/${path}`, { type: 'ldap' });
    expect((await mount('team/a/directory')).status).toBe(204);
    expect((await mount('team/a')).json()).toEqual({
      errors: ['path is already in use at team/a/directory/'],
    });
    await here.client.post('/v1/team/a/directory/config', configBody());
    await here.client.post('/v1/team/a/directory/static-role/shop', roleBody('shop'));
    expect((await here.client.get('/v1/ldap/config')).status).toBe(404);
    expect(here.server.counters().rotations).toEqual({ 'team/a/directory/shop': 1 });
    expect((await here.client.get('/v1/sys/mounts/team/a/directory/')).json().data.type).toBe('ldap');
    expect(Object.keys((await here.client.get('/v1/sys/mounts')).json().data)).toEqual([
      'keymgmt/',
      'ldap/',
      'team/a/directory/',
    ]);
    for (const _ of [1, 2])
      expect((await here.client.delete('/v1/sys/mounts/team/a/directory')).status).toBe(204);
    expect((await mount('team/a/directory')).status).toBe(204);
    expect((await here.client.get('/v1/team/a/directory/static-role?list=true')).status).toBe(404);
    await here.stop();
  });

  test('faults name the route as the table of operations does; counters count what was asked', async () => {
    const here = await withRole({
      onRequest: ({ method, pattern, n }) =>
        method === 'POST' && pattern === '/v1/{mount}/rotate-role/{role}' && n === 1 ? 'drop-after' : 'none',
    });
    await here.client.post('/setup/counters/reset', {});
    const rotate = () =>
      here.client.post('/v1/ldap/rotate-role/shop', {}).then(
        (a) => a.status,
        () => 'cut',
      );
    expect([await rotate(), await rotate()]).toEqual(['cut', 204]);
    expect(here.server.counters()).toEqual({
      routes: { 'POST /v1/{mount}/rotate-role/{role}': 2 },
      writes: 2,
      rotations: { 'ldap/shop': 2 },
      rootRotations: {},
      bindPasswordWrites: {},
      logins: 0,
    });
    expect((await here.client.get('/setup/requests')).json().at(-1)).toEqual({
      method: 'POST',
      path: '/v1/ldap/rotate-role/shop',
      status: 204,
    });
    await here.stop();
  });

  test('without a token of its own it asks for none', async () => {
    const server = await startSecrets({ dialect: 'vault' });
    const client = new HttpClient(server.url);
    expect((await client.get('/v1/sys/mounts')).status).toBe(200);
    expect((await client.get('/setup/counters')).json().routes).toEqual({ 'GET /v1/sys/mounts': 1 });
    await client.close();
    await server.stop();
  });

  test('setting up is for the root only, whatever policies say', async () => {
    const here = await running();
    await here.client.post('/setup/policies', {
      name: 'wide',
      rules: [{ path: '*', capabilities: ['read'] }],
    });
    const { token } = (await here.client.post('/setup/tokens', { policies: ['wide'] })).json();
    expect((await here.as(token, 'GET', '/v1/sys/mounts')).status).toBe(200);
    expect((await here.as(token, 'GET', '/setup/counters')).status).toBe(403);
    expect((await here.client.post('/setup/policies', { nmae: 'x' })).json()).toEqual({
      errors: ['name: expected a string, got nothing'],
    });
    await here.stop();
  });

  test('a seed that is wrong stops the start, and says where', async () => {
    const seed = { tokens: [{ policies: ['a'] }, { polices: ['a'] }] };
    await expect(running({ seed })).rejects.toThrow('seed.tokens[1].polices: unknown field');
  });
});
