// Sessions: one login for all, renewed in time, begun again when lost, never a token where it could be read.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { eventually } from '../../support/poll.ts';
import { everythingOf, failure, json, never, serve } from '../servers.ts';
import { proves } from '../../coverage/proves.ts';
import {
  appRole,
  errors,
  key,
  role,
  rotate,
  secretsClient,
  secretsJson,
  started,
  type TokenService,
} from './service.ts';

describe('a login', () => {
  test('happens at the first call only, once for all who ask at the same time', async () => {
    const { service, read } = await started();
    expect(service.seen).toEqual([]);
    const answers = await Promise.all([read(), read(), read(), read()]);
    expect(answers).toHaveLength(4);
    expect(service.count('/login')).toBe(1);
    expect(service.count('/static-role/shop')).toBe(4);
  });

  test.for([
    {
      auth: appRole,
      url: '/v1/auth/approle/login',
      sent: { role_id: 'holdfast', secret_id: 'canary-secret-id-3b77' },
    },
    {
      auth: { is: 'jwt', mount: 'ci/jwt', role: 'r', jwt: Secret.of('ci/jwt', '1', 'canary-jwt\n') } as const,
      url: '/v1/auth/ci/jwt/login',
      sent: { role: 'r', jwt: 'canary-jwt' },
    },
  ])('sends what its method wants, and no token: $auth.is', async ({ auth, url, sent }) => {
    proves(
      '`POST /v1/auth/{mount}/login` logs in by a service account, a role ID or a signed token, at any path',
    );
    const { url: at, seen } = await json({
      auth: { client_token: 't', lease_duration: 0, renewable: false },
      data: {},
    });
    await secretsClient([at], { auth }).client.read('ldap.role.read', role, never);
    expect(seen[0]).toMatchObject({ method: 'POST', url });
    expect(seen[0]?.headers['x-vault-token']).toBeUndefined();
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(sent);
    expect(seen[1]?.headers['x-vault-token']).toBe('t');
  });

  test('reads the service account afresh each time: projected tokens rotate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const tokenFile = join(folder, 'token');
    const { url, seen } = await json({
      auth: { client_token: 't', lease_duration: 60, renewable: false },
      data: {},
    });
    const auth = { is: 'kubernetes', mount: 'kubernetes', role: 'holdfast', tokenFile } as const;
    const { client, clock } = secretsClient([url], { auth });
    expect(await failure(client.read('ldap.role.read', role, never))).toMatchObject({
      class: 'unavailable',
      reason: 'LoginFailed',
      mayHaveHadEffect: false,
    });
    for (const jwt of ['first', 'second']) {
      writeFileSync(tokenFile, `${jwt}\n`);
      clock.turn(61_000);
      await client.read('ldap.role.read', role, never);
    }
    const logins = seen.filter((one) => one.url === '/v1/auth/kubernetes/login');
    expect(logins.map((one) => JSON.parse(one.body))).toEqual([
      { role: 'holdfast', jwt: 'first' },
      { role: 'holdfast', jwt: 'second' },
    ]);
  });

  test.for([
    {
      why: 'wrong credentials',
      status: 400,
      text: errors('invalid role or secret ID'),
      is: 'refused LoginFailed',
    },
    { why: 'not allowed', status: 403, text: errors('permission denied'), is: 'refused LoginFailed' },
    { why: 'sealed', status: 503, text: errors('Vault is sealed'), is: 'unavailable Sealed' },
    {
      why: 'no such method',
      status: 404,
      text: errors('no handler for route "x"'),
      is: 'waiting MountNotFound',
    },
    { why: 'broken', status: 500, text: errors('internal error'), is: 'unavailable ServerError' },
    { why: 'no grant', status: 200, text: '{"auth":null}', is: 'unreadable InvalidResponse' },
    { why: 'a grant of nothing', status: 200, text: '{"auth":{}}', is: 'unreadable InvalidResponse' },
  ])('that fails keeps the call from being sent, and says why: $why', async ({ status, text, is }) => {
    const { url, seen } = await secretsJson(text, status);
    const { client } = secretsClient([url], { auth: appRole });
    const outcome = await client.perform(rotate, key, never);
    if (outcome.is === 'done') throw new Error('expected no success');
    expect(outcome.is).toBe('rejected'); // never `unknown`: the rotation was not sent
    expect(`${outcome.error.class} ${outcome.error.reason}`).toBe(is);
    expect(seen.map((one) => one.url)).toEqual(['/v1/auth/approle/login']);
  });

  test('that failed is not tried again by each of many who ask, but soon', async () => {
    const { service, clock, read } = await started();
    service.down = 503;
    for (let n = 0; n < 5; n++) expect(await failure(read())).toMatchObject({ reason: 'Sealed' });
    expect(service.count('/login')).toBe(1);
    service.down = undefined;
    clock.turn(1_000);
    expect(await read()).toMatchObject({ username: 'shop' });
  });

  test('of a role that is rejected is not tried so often that the service locks the role for all who use it', async () => {
    const { service, client, clock, read } = await started({
      is: 'appRole',
      mount: 'approle',
      roleID: 'holdfast',
      secretID: Secret.of('x', '1', 'canary-old'),
    });
    const logins = async (minutes: number) => {
      const before = service.count('/login');
      for (let at = 0; at < minutes * 12; at += 1) {
        expect(await failure(read())).toMatchObject({ class: 'refused', reason: 'LoginFailed' });
        clock.turn(5_000);
      }
      return service.count('/login') - before;
    };
    expect([await logins(16), await logins(16), await logins(16)]).toEqual([2, 1, 1]);
    client.retryLogin();
    expect(await logins(15)).toBe(1);
    client.retryLogin();
    service.down = 503;
    expect(await failure(read())).toMatchObject({ reason: 'Sealed' });
    service.down = undefined;
    clock.turn(1_000);
    expect(await logins(15)).toBe(1); // an outage is over sooner
  });

  test('goes on for the others when one of those who wait has gone', async () => {
    const gone = new AbortController();
    const open = Promise.withResolvers<void>();
    const { url } = await serve((request, response) => {
      const grant = { client_token: 't', lease_duration: 60, renewable: true };
      const answer = () => response.end(JSON.stringify({ auth: grant, data: { username: 'shop' } }));
      if (request.url.endsWith('/login')) void open.promise.then(answer);
      else answer();
    });
    const { client } = secretsClient([url], { auth: appRole });
    const left = failure(client.read('ldap.role.read', role, gone.signal));
    const stays = client.read('ldap.role.read', role, never);
    gone.abort();
    expect(await left).toMatchObject({ class: 'unavailable', mayHaveHadEffect: false });
    open.resolve();
    expect(await stays).toMatchObject({ username: 'shop' });
  });
});

describe('a lease', () => {
  test('is renewed before two thirds of it have passed, for as long as it lasts', async () => {
    const { service, clock, read } = await started();
    await read();
    for (let n = 1; n <= 3; n++) {
      const [wait = 0] = clock.waiting;
      expect(wait).toBeGreaterThan(3_600_000 * 0.5);
      expect(wait).toBeLessThanOrEqual((3_600_000 * 2) / 3);
      clock.turn(wait);
      await eventually('a renewal', () => service.count('/renew-self') === n && clock.waiting.length === 1);
    }
    expect(service.count('/login')).toBe(1);
  });

  test.for([
    { why: 'can not be renewed', prepare: (s: TokenService) => (s.renewable = false), renewals: 0 },
    { why: 'shrinks below half', prepare: (s: TokenService) => (s.leases = [3600, 1799, 3600]), renewals: 1 },
    { why: 'was not renewed', prepare: (s: TokenService) => (s.denied = ['/renew-self']), renewals: 1 },
  ])('that $why ends in a new login before it is over', async ({ prepare, renewals }) => {
    const { service, clock, read } = await started();
    prepare(service);
    await read();
    const [wait = 0] = clock.waiting;
    clock.turn(wait);
    await eventually('a login', () => service.count('/login') === 2 && clock.waiting.length === 1);
    expect(service.count('/renew-self')).toBe(renewals);
    await read();
    expect(service.seen.at(-1)?.headers['x-vault-token']).toBe('canary-granted-2');
  });

  test('is kept, and its renewal tried again, while the service is away', async () => {
    const { service, clock, read } = await started();
    await read();
    service.down = 503;
    clock.turn(clock.waiting[0] ?? 0);
    await eventually('another try is due', () => service.count('/login') === 2 && clock.waiting.length === 1);
    service.down = undefined;
    expect(await read()).toMatchObject({ username: 'shop' });
    clock.turn(clock.waiting[0] ?? 0);
    await eventually('a renewal', () => service.count('/renew-self') === 2);
    expect(service.count('/login')).toBe(2); // the one that failed, and the first
  });

  test('that is over is not used, whatever happened to its timer', async () => {
    const { service, clock, read } = await started();
    service.renewable = false;
    await read();
    service.down = 503;
    clock.turn(3_600_000);
    await eventually('a login', () => service.count('/login') === 2);
    service.down = undefined;
    clock.turn(2_000);
    await read();
    expect(service.seen.at(-1)?.headers['x-vault-token']).toBe('canary-granted-2');
  });

  test('without an end has no timer', async () => {
    const { service, clock, read } = await started();
    service.leases = [0];
    await read();
    expect(clock.waiting).toEqual([]);
  });

  test('is never shown with the client that holds it', async () => {
    const { client, read } = await started();
    await read();
    expect(everythingOf(client)).not.toContain('canary');
  });
});

describe('closing', () => {
  test('revokes what an own login granted, and nobody logs in any more', async () => {
    const { service, client, clock, read } = await started();
    await read();
    await client.close();
    expect(service.valid).not.toContain('canary-granted-1');
    expect(clock.waiting).toEqual([]);
    expect(await failure(read())).toMatchObject({ class: 'unavailable', mayHaveHadEffect: false });
    expect(service.count('/login')).toBe(1);
  });

  test('does not fail where revoking does', async () => {
    const { service, client, read } = await started();
    await read();
    service.down = 503;
    await expect(client.close()).resolves.toBeUndefined();
    expect(service.count('/revoke-self')).toBe(1);
  });

  test('sends nothing where there was no login', async () => {
    const { service, client } = await started();
    await client.close();
    expect(service.seen).toEqual([]);
  });

  test('ends a login that is under way', async () => {
    const { url } = await serve(() => void client.close());
    const { client } = secretsClient([url], { auth: appRole });
    expect(await failure(client.read('ldap.role.read', role, never))).toMatchObject({
      class: 'unavailable',
      mayHaveHadEffect: false,
    });
  });
});

test('no refusal shows a token or what was sent to log in', async () => {
  const { service, read } = await started();
  await read();
  service.denied = ['/static-role/shop'];
  const denied = await failure(read());
  expect(everythingOf(denied)).toContain('permission denied to (secret auth/approle/login/client_token)');
  const wrong = { ...appRole, secretID: Secret.of('holdfast/approle', '2', 'canary-"wrong"-55') };
  const refused = await failure(
    secretsClient([service.url], { auth: wrong }).client.read('ldap.role.read', role, never),
  );
  expect(refused).toMatchObject({ reason: 'LoginFailed' });
  for (const shown of [denied, refused]) expect(everythingOf(shown)).not.toContain('canary');
});
