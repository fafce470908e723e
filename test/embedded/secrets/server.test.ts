import { describe, expect, test } from 'vitest';
import { secretsDialects } from '../../../src/api/dialects.ts';
import { startSecrets } from '../../../src/embedded/secrets/server.ts';
import { HttpClient } from '../../contract/client.ts';
import { configBody, credential, dialectNames, roleBody, rootToken, running, withRole } from './running.ts';

const multi = (text: string) => `1 error occurred:\n\t* ${text}\n\n`;

/** What every request is answered with that goes wrong before it reaches an engine. */
const refusals: readonly { ask: string; status: number; errors: readonly string[]; why: string }[] = [
  {
    ask: 'GET /v1/nope/x',
    status: 404,
    errors: ['no handler for route "nope/x". route entry not found.'],
    why: 'no mount',
  },
  {
    ask: 'GET /v1/ldapx/config',
    status: 404,
    errors: ['no handler for route "ldapx/config". route entry not found.'],
    why: 'a mount ends with its segment',
  },
  {
    ask: 'GET /v1/ldap/nope',
    status: 404,
    errors: [multi('unsupported path')],
    why: 'no such path in the engine',
  },
  {
    ask: 'GET /v1/ldap/static-role/a.',
    status: 404,
    errors: [multi('unsupported path')],
    why: 'names end in a letter or digit',
  },
  {
    ask: 'DELETE /v1/ldap/static-cred/shop',
    status: 405,
    errors: [multi('unsupported operation')],
    why: 'no such verb there',
  },
  {
    ask: 'PATCH /v1/ldap/config',
    status: 405,
    errors: [multi('unsupported operation')],
    why: 'a verb that nobody knows',
  },
  {
    ask: 'GET /v1/ldap/config',
    status: 404,
    errors: [],
    why: 'nothing there is an empty list',
  },
  { ask: 'GET /v1/ldap/static-role?list=true', status: 404, errors: [], why: 'neither is an empty list' },
  {
    ask: 'GET /v1/ldap/static-role?list=maybe',
    status: 400,
    errors: ['failed to parse list query string parameter'],
    why: 'list is a boolean',
  },
  { ask: 'GET /v1/ldap/static-cred/none', status: 400, errors: ['unknown role: none'], why: 'not a 404' },
  {
    ask: 'POST /v1/ldap/rotate-role/none',
    status: 400,
    errors: ["role doesn't exist: none"],
    why: 'nor here',
  },
  {
    ask: 'GET /v1/sys/mounts/none',
    status: 400,
    errors: ['No secret engine mount at none/'],
    why: 'nor here',
  },
  { ask: 'DELETE /v1/ldap/static-role/none', status: 204, errors: [], why: 'deleting nothing is done' },
  {
    ask: 'GET /v1/ldap/%zz',
    status: 400,
    errors: ['the path is not correctly percent-encoded'],
    why: 'no percent-encoding',
  },
];

describe.each(dialectNames)('the embedded secrets service, %s', (dialect) => {
  test.each(refusals)('$ask is $status: $why', async ({ ask, status, errors }) => {
    const here = await running({ dialect });
    const [method = '', path = ''] = ask.split(' ');
    const answer = await here.client.send(method, path);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.header('cache-control')).toBe('no-store');
    if (status !== 204) expect(answer.json()).toEqual({ errors });
    await here.stop();
  });

  test('an answer is an envelope; the documents show a credential and a plain list without it', async () => {
    const here = await withRole({ dialect });
    const config = (await here.client.get('/v1/ldap/config')).json();
    expect(Object.keys(config).toSorted()).toEqual([
      'auth',
      'data',
      'lease_duration',
      'lease_id',
      'renewable',
      'request_id',
      'warnings',
      'wrap_info',
    ]);
    const last = dialect === 'vault' ? 'last_vault_rotation' : 'last_service_rotation';
    expect(Object.keys(await credential(here)).toSorted()).toEqual(
      [last, 'dn', 'last_password', 'password', 'rotation_period', 'ttl', 'username'].toSorted(),
    );
    const plain = await here.client.get('/v1/ldap/static-role');
    expect([plain.status, plain.json()]).toEqual(
      dialect === 'vault' ? [405, { errors: [multi('unsupported operation')] }] : [200, ['shop']],
    );
    for (const answer of [
      await here.client.send('LIST', '/v1/ldap/static-role'),
      await here.client.send('LIST', '/v1/ldap/static-role/'),
      await here.client.get('/v1/ldap/static-role?list=true'),
    ]) {
      expect(answer.json().data).toEqual({ keys: ['shop'] });
    }
    await here.stop();
  });

  test('POST and PUT are the same; a write says nothing, or warns', async () => {
    const here = await running({ dialect });
    expect((await here.client.put('/v1/ldap/config', configBody())).status).toBe(204);
    await here.client.post('/setup/warning', { text: 'mind the gap' });
    const answer = await here.client.post('/v1/ldap/config', {});
    expect([answer.status, answer.json()]).toMatchObject([200, { data: null, warnings: ['mind the gap'] }]);
    await here.stop();
  });

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

  test('there is one namespace: any other is refused', async () => {
    const here = await running({ dialect });
    const inside = (namespace: string, path: string) =>
      here.client.get(path, { headers: { [secretsDialects[dialect].headers.namespace]: namespace } });
    expect((await inside('team/', '/v1/sys/mounts')).json()).toEqual({ errors: ['namespace not found'] });
    expect((await inside('team', '/v1/sys/health')).status).toBe(400);
    expect((await inside('root', '/v1/sys/mounts')).status).toBe(200);
    await here.stop();
  });

  test('a token comes in its header or as a bearer, and no token is 403', async () => {
    const here = await running({ dialect });
    const bearer = await here.as(undefined, 'GET', '/v1/sys/mounts');
    expect([bearer.status, bearer.text]).toEqual([403, expect.stringContaining('permission denied')]);
    const unknown = await here.as('canary-unknown', 'GET', '/v1/sys/mounts');
    expect([unknown.status, unknown.text.includes('canary')]).toEqual([403, false]);
    const client = new HttpClient(here.server.url);
    const statuses = ['Bearer', 'bearer'].map(async (scheme) => {
      const headers = { authorization: `${scheme} ${rootToken}` };
      return (await client.get('/v1/sys/mounts', { headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 403]); // its case counts (wire.md 1.2)
    await client.close();
    await here.stop();
  });
});

describe('the embedded secrets service', () => {
  test('mounts come and go, at any depth; the longest one answers, and takes what it held with it', async () => {
    const here = await running();
    const mount = (path: string, type = 'ldap') => here.client.post(`/v1/sys/mounts/${path}`, { type });
    expect((await mount('team/a/directory')).status).toBe(204);
    expect((await mount('team/a')).json()).toEqual({
      errors: ['path is already in use at team/a/directory/'],
    });
    expect((await mount('ldap')).json()).toEqual({ errors: ['path is already in use at ldap/'] });
    expect((await mount('keys', 'keymgmt')).json()).toEqual({
      errors: ['plugin not found in the catalog: keymgmt'],
    });
    await here.client.post('/v1/team/a/directory/config', configBody());
    await here.client.post('/v1/team/a/directory/static-role/shop', roleBody('shop'));
    expect((await here.client.get('/v1/ldap/config')).status).toBe(404);
    expect(here.server.counters().rotations).toEqual({ 'team/a/directory/shop': 1 });
    expect((await here.client.get('/v1/sys/mounts/team/a/directory/')).json().data.type).toBe('ldap');
    expect(Object.keys((await here.client.get('/v1/sys/mounts')).json().data)).toEqual([
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
