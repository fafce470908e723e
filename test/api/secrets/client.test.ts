// The secrets service's client, against real sockets: what is sent in each dialect, what is read, what is an answer.
import { describe, expect, test } from 'vitest';
import { secretsDialects } from '../../../src/api/dialects.ts';
import type { ReadOp, SecretsEffect } from '../../../src/api/routes.ts';
import type { SecretsOperations } from '../../../src/api/secrets/routes.ts';
import { reveal, Secret } from '../../../src/core/secret.ts';
import { failure, json, never, serve } from '../servers.ts';
import { proves } from '../../coverage/proves.ts';
import { appRole, errors, role, rotate, secretsClient, secretsJson } from './service.ts';

const canaryToken = 'canary-token-6d1e';
const bindpass = 'canary-"bind"<&>-7781';
/** Its session needs no request of its own: the look-up is denied, which is no hindrance. */
const open = { token: Secret.of('holdfast/vault', '1', canaryToken) };
const key = 'LDAPConfig/shop/ldap';

const config: SecretsEffect = {
  port: 'secrets',
  op: 'ldap.config.write',
  params: { mount: 'ldap' },
  body: {
    schema: 'ldap',
    binddn: 'cn=ldap',
    bindpass: Secret.of('shop/bind', '4', bindpass),
    starttls: undefined,
  },
};
const gone: SecretsEffect = { port: 'secrets', op: 'ldap.role.delete', params: role };

describe.for(Object.entries(secretsDialects))('in %s', ([dialect, { headers, values }]) => {
  test('a write is sent in its shape, with its secrets open and its headers', async () => {
    const { url, seen } = await secretsJson('', 204);
    const { client } = secretsClient([url], { dialect, namespace: 'teams/a' });
    expect(await client.perform(config, key, never)).toEqual({ is: 'done' });
    expect(seen).toMatchObject([{ method: 'POST', url: '/v1/ldap/config' }]);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      schema: 'schema' in values ? 'openldap' : 'ldap',
      binddn: 'cn=ldap',
      bindpass,
    });
    expect(seen[0]?.headers).toMatchObject({
      [headers.request.toLowerCase()]: 'true',
      [headers.namespace.toLowerCase()]: 'teams/a',
      'content-type': 'application/json',
    });
  });

  test('a token goes with each call but with those that need none', async () => {
    proves('`X-Secrets-Token` has the token, with each request that needs one');
    const { url, seen } = await json({ data: {}, sealed: false });
    const { client } = secretsClient([url], { dialect, namespace: 'teams/a', ...open });
    await client.read('ldap.role.read', role, never);
    await client.read('sys.health', {}, never);
    const name = headers.token.toLowerCase();
    expect(seen.map((one) => [one.url.replace(/\?.*/, ''), one.headers[name]])).toEqual([
      ['/v1/auth/token/lookup-self', canaryToken],
      ['/v1/ldap/static-role/shop', canaryToken],
      ['/v1/sys/health', undefined],
    ]);
    expect(seen.at(-1)?.headers[headers.namespace.toLowerCase()]).toBeUndefined();
  });

  const credential = {
    dn: 'cn=shop',
    username: 'shop',
    password: 'canary-now',
    rotation_period: 60,
    ttl: 59,
  };
  test.for([
    { why: 'bare', reply: { ...credential, last_service_rotation: 'T1', last_password: 'canary-was' } },
    {
      why: 'wrapped',
      reply: { data: { ...credential, last_vault_rotation: 'T1', last_password: 'canary-was' } },
    },
  ])('a credential is read in either shape, its passwords in boxes: $why', async ({ reply }) => {
    proves('`GET /v1/{mount}/static-cred/{role}` reads the credential, in no envelope');
    const { url } = await json(reply);
    const read = await secretsClient([url], { dialect }).client.read('ldap.credential.read', role, never);
    if (!read) throw new Error('expected a credential');
    expect(JSON.stringify(read)).not.toContain('canary');
    expect(read).toMatchObject({ username: 'shop', ttl: 59, last_service_rotation: 'T1' });
    expect(reveal(read.password)).toBe('canary-now');
    expect(read.password).toMatchObject({ source: 'ldap/static-cred/shop/password', version: 'T1' });
    expect(read.last_password && reveal(read.last_password)).toBe('canary-was');
    expect(read.last_password?.version).not.toBe('T1');
  });

  test.for([
    { why: 'bare', reply: ['a', 'b'] },
    { why: 'wrapped', reply: { data: { keys: ['a', 'b'] } } },
    { why: 'keys alone', reply: { keys: ['a', 'b'] } },
  ])('a list is read in any shape: $why', async ({ reply }) => {
    proves('`GET /v1/{mount}/static-role` lists names, in no envelope');
    const { url, seen } = await json(reply);
    const { client } = secretsClient([url], { dialect });
    expect(await client.read('ldap.role.list', { mount: 'ldap' }, never)).toEqual({ keys: ['a', 'b'] });
    expect(seen[0]?.url).toBe('/v1/ldap/static-role?list=true');
  });
});

describe('what is asked', () => {
  const reads: readonly { op: Extract<ReadOp, keyof SecretsOperations>; line: string }[] = [
    { op: 'mount.read', line: 'GET /v1/sys/mounts/teams/ldap' },
    { op: 'ldap.config.read', line: 'GET /v1/teams/ldap/config' },
    { op: 'ldap.role.list', line: 'GET /v1/teams/ldap/static-role?list=true' },
    { op: 'ldap.role.read', line: 'GET /v1/teams/ldap/static-role/shop' },
    { op: 'ldap.credential.read', line: 'GET /v1/teams/ldap/static-cred/shop' },
    { op: 'token.lookup', line: 'GET /v1/auth/token/lookup-self' },
  ];
  test.for(reads)('$op: $line', async ({ op, line }) => {
    const { url, seen } = await json({ data: { keys: [], password: '' } });
    const params = line.includes('shop') ? { mount: 'teams/ldap', role: 'shop' } : { mount: 'teams/ldap' };
    await secretsClient([url]).client.read(op, op === 'token.lookup' ? {} : params, never);
    expect(seen.map((one) => `${one.method} ${one.url}`)).toEqual([line]);
  });

  const writes: readonly { readonly effect: SecretsEffect; readonly line: string }[] = [
    { effect: config, line: 'POST /v1/ldap/config' },
    {
      effect: { port: 'secrets', op: 'ldap.config.delete', params: { mount: 'ldap' } },
      line: 'DELETE /v1/ldap/config',
    },
    {
      effect: { port: 'secrets', op: 'ldap.root.rotate', params: { mount: 'ldap' } },
      line: 'POST /v1/ldap/rotate-root',
    },
    {
      effect: {
        port: 'secrets',
        op: 'ldap.role.write',
        params: role,
        body: { username: 'u', rotation_period: 5 },
      },
      line: 'POST /v1/ldap/static-role/shop',
    },
    { effect: gone, line: 'DELETE /v1/ldap/static-role/shop' },
    { effect: rotate, line: 'POST /v1/ldap/rotate-role/shop' },
  ];
  test.for(writes)('$effect.op: $line', async ({ effect, line }) => {
    const { url, seen } = await secretsJson('', 204);
    await secretsClient([url]).client.perform(effect, key, never);
    expect(seen.map((one) => `${one.method} ${one.url}`)).toEqual([line]);
  });

  test.for(['..', '', 'a//b', '/ldap', 'ldap/', 'a/../b', 'a\\b', '%2f', '\ud800'])(
    'never leaves its place in the path: mount %j',
    async (mount) => {
      const { url, seen } = await json({});
      const { client } = secretsClient([url]);
      const error = { class: 'refused', message: "mount: can't be sent in a path", mayHaveHadEffect: false };
      expect(await failure(client.read('ldap.config.read', { mount }, never))).toMatchObject(error);
      const outcome = await client.perform({ ...config, params: { mount } }, key, never);
      expect(outcome).toMatchObject({ is: 'rejected', error });
      expect(seen).toEqual([]);
    },
  );

  test('has no pages, and is no operation of another service', async () => {
    const { url, seen } = await json({});
    const { client } = secretsClient([url]);
    expect(await failure(client.page('ldap.role.list'))).toMatchObject({ class: 'refused' });
    await expect(client.read('volume.list', { namespace: '*' }, never)).rejects.toThrow(
      'volume.list is not an operation',
    );
    expect(seen).toEqual([]);
  });

  test('the gate is told on whose behalf, and what may be done if an answer is lost', async () => {
    const { url } = await json({ data: {} });
    const told: object[] = [];
    const { client } = secretsClient([url], {}, { onEffect: (info) => told.push(info) });
    await client.read('ldap.role.read', role, never);
    await client.perform(rotate, key, never);
    expect(told).toEqual([
      { port: 'secrets', op: 'ldap.role.read', mutates: false },
      { port: 'secrets', op: 'ldap.role.rotate', mutates: 'findable', key },
    ]);
  });
});

describe('what is answered', () => {
  test('absence, which is no error', async () => {
    const missing = await secretsJson({ errors: [] }, 404);
    const { client } = secretsClient([missing.url]);
    expect(await client.read('ldap.role.read', role, never)).toBeUndefined();
    expect(await client.read('ldap.role.list', { mount: 'ldap' }, never)).toBeUndefined();
    expect(await client.perform(gone, key, never)).toEqual({ is: 'done' });
    expect(await client.perform(rotate, key, never)).toMatchObject({ is: 'rejected' });
    const unknown = await secretsJson(errors('unknown role: shop'), 400);
    expect(
      await secretsClient([unknown.url]).client.read('ldap.credential.read', role, never),
    ).toBeUndefined();
  });

  test('a proxy that knows no such page does not make anything absent', async () => {
    const { url } = await secretsJson('<html>404</html>', 404);
    const { client } = secretsClient([url]);
    expect(await failure(client.read('ldap.role.read', role, never))).toMatchObject({ class: 'refused' });
    expect(await client.perform(gone, key, never)).toMatchObject({ is: 'rejected' });
  });

  test.for([200, 429, 472, 473, 474, 501, 503, 530])(
    'health is an answer in every state: %i',
    async (status) => {
      proves('`GET /v1/sys/health` answers in every state');
      const state = { initialized: true, sealed: true, standby: true, version: '1.0' };
      const { url } = await secretsJson(state, status);
      expect(await secretsClient([url]).client.read('sys.health', {}, never)).toEqual(state);
    },
  );

  test('health needs no session', async () => {
    const { url, seen } = await json({ initialized: true, sealed: true });
    await secretsClient([url], { auth: appRole }).client.read('sys.health', {}, never);
    expect(seen).toHaveLength(1);
  });

  test('no health is none', async () => {
    const { url } = await secretsJson(errors('rate limit quota exceeded'), 429);
    expect(await failure(secretsClient([url]).client.read('sys.health', {}, never))).toMatchObject({
      class: 'throttled',
    });
  });

  test('throttling says for how long', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end(errors('rate limit quota exceeded'));
    });
    const error = { class: 'throttled', retryAfterMs: 7_000 };
    expect(await secretsClient([url]).client.perform(rotate, key, never)).toMatchObject({
      is: 'rejected',
      error,
    });
  });

  test('a redirect is never followed: the token stays here', async () => {
    const second = await json({ data: {} });
    const first = await serve((_, response) => {
      response.writeHead(307, { location: `${second.url}/v1/ldap/rotate-role/shop` }).end();
    });
    const outcome = await secretsClient([first.url]).client.perform(rotate, key, never);
    expect(outcome).toMatchObject({ is: 'rejected', error: { class: 'unavailable', reason: 'Redirected' } });
    expect(second.seen).toEqual([]);
  });

  test('warnings of a success come with it, bounded, without what was secret in them', async () => {
    const warnings = [`ignored: ${bindpass}`, 7, 'x'.repeat(1_000), ...Array.from({ length: 40 }, () => 'w')];
    const { url } = await json({ data: null, warnings });
    const outcome = await secretsClient([url]).client.perform(config, key, never);
    if (outcome.is !== 'done') throw new Error('expected it to be done');
    expect(outcome.warnings).toHaveLength(16);
    expect(outcome.warnings?.[0]).toBe('ignored: (secret shop/bind)');
    expect(JSON.stringify(outcome).length).toBeLessThan(2_000);
  });

  test('looking a token up does not give the token', async () => {
    const { url } = await json({ data: { id: 'canary-id', ttl: 0, policies: ['root'] } });
    expect(await secretsClient([url]).client.read('token.lookup', {}, never)).toEqual({
      ttl: 0,
      policies: ['root'],
    });
  });

  test.for([
    '',
    'null',
    '[]',
    '7',
    '"x"',
    '{"data":null}',
    '{"data":[]}',
    '{"data":{"password":7}}',
    '<html>',
  ])('what has not the shape of an answer is none: %s', async (text) => {
    const { url } = await secretsJson(text);
    const error = await failure(secretsClient([url]).client.read('ldap.credential.read', role, never));
    expect(error).toMatchObject({ class: 'unreadable', reason: 'InvalidResponse' });
  });

  test('an answer that is nested without end is none', async () => {
    const depth = 200_000;
    const { url } = await secretsJson(`{"data":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    const asked = secretsClient([url]).client.read('ldap.config.read', { mount: 'ldap' }, never);
    expect(await failure(asked)).toMatchObject({ class: 'unreadable' });
  });
});
