// Denials: which are meant, and which only say that the token is lost; tokens that were given instead of logins.
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { eventually } from '../../support/poll.ts';
import { everythingOf, failure, json, never, serve } from '../servers.ts';
import { appRole, errors, key, role, rotate, secretsClient, started, token } from './service.ts';

describe('a denial', () => {
  test('of a token that was lost: one login for all, and each call is made again', async () => {
    const { service, client, read } = await started();
    await read();
    service.valid.clear();
    const [one, two, outcome] = await Promise.all([read(), read(), client.perform(rotate, key, never)]);
    expect([one, two, outcome]).toMatchObject([{ username: 'shop' }, { username: 'shop' }, { is: 'done' }]);
    expect(service.count('/login')).toBe(2);
    expect(service.count('/rotate-role/shop')).toBe(2);
    expect(service.count('/lookup-self')).toBe(2); // the lost token's, and the new one's
  });

  test('of a token that is good is meant: no login, no second try', async () => {
    const { service, client, read } = await started();
    service.denied = ['/static-role/shop', '/rotate-role/shop'];
    expect(await failure(read())).toMatchObject({ class: 'refused', reason: 'PermissionDenied' });
    expect(await client.perform(rotate, key, never)).toMatchObject({
      is: 'rejected',
      error: { reason: 'PermissionDenied', mayHaveHadEffect: false },
    });
    expect(service.count('/login')).toBe(1);
    expect(service.count('/static-role/shop')).toBe(1);
    expect(service.count('/rotate-role/shop')).toBe(1);
  });

  test('by a service that denies looking up, too, is not answered with login after login', async () => {
    const { service, clock, read } = await started();
    service.denied = ['/static-role/shop', '/lookup-self'];
    for (let n = 0; n < 4; n++) expect(await failure(read())).toMatchObject({ reason: 'PermissionDenied' });
    expect(service.count('/login')).toBe(2);
    clock.turn(60_000);
    service.valid.clear(); // it could be this, so it is tried again now and then
    service.denied = ['/lookup-self'];
    expect(await read()).toMatchObject({ username: 'shop' });
  });

  test('for good leaves few tokens behind: a login each minute made one that lived on', async () => {
    const { service, clock, read } = await started();
    service.denied = ['/static-role/shop', '/lookup-self'];
    for (let minute = 0; minute < 60; minute++) {
      expect(await failure(read())).toMatchObject({ reason: 'PermissionDenied' });
      clock.turn(60_000);
    }
    expect(service.count('/login')).toBeLessThan(12);
  });

  test('while the service can not say more is no denial', async () => {
    const { url } = await serve((request, response) => {
      if (request.url.endsWith('/login')) {
        response.end('{"auth":{"client_token":"t","lease_duration":60,"renewable":true}}');
      } else
        response.writeHead(request.url.endsWith('/lookup-self') ? 503 : 403).end(errors('Vault is sealed'));
    });
    const { client } = secretsClient([url], { auth: appRole });
    expect(await failure(client.read('ldap.role.read', role, never))).toMatchObject({ reason: 'Sealed' });
    expect(await client.perform(rotate, key, never)).toMatchObject({ is: 'rejected' });
  });
});

describe('a token that was given', () => {
  test('is renewed where it can be, and never revoked', async () => {
    const { service, client, clock, read } = await started(token);
    await read();
    expect(service.count('/lookup-self')).toBe(1);
    clock.turn(clock.waiting[0] ?? 0);
    await eventually('a renewal', () => service.count('/renew-self') === 1 && clock.waiting.length === 1);
    await client.close();
    expect(service.count('/revoke-self')).toBe(0);
    expect(service.count('/login')).toBe(0);
  });

  test('is used where it may not look itself up', async () => {
    const { service, clock, read } = await started(token);
    service.denied = ['/lookup-self'];
    expect(await read()).toMatchObject({ username: 'shop' });
    await read();
    expect(service.count('/lookup-self')).toBe(1);
    expect(clock.waiting).toEqual([]);
  });

  test('is reported where it does not hold: there is nothing to log in with', async () => {
    const { service, read } = await started(token);
    service.valid.clear();
    const error = await failure(read());
    expect(error).toMatchObject({ class: 'refused', reason: 'InvalidToken', mayHaveHadEffect: false });
    expect(everythingOf(error)).not.toContain('canary');
  });

  test('is not called unknown where it may not look itself up, and nothing else tells', async () => {
    const { service, read } = await started(token);
    service.denied = ['/lookup-self', '/static-role/shop'];
    expect(await failure(read())).toMatchObject({
      reason: 'InvalidToken',
      message: expect.stringMatching(/, or it may not look itself up, which the policy default allows$/),
    });
  });

  test('is reported as expired where its end was known', async () => {
    const { service, clock, read } = await started(token);
    service.renewable = false;
    await read();
    service.valid.clear();
    clock.turn(3_600_000);
    expect(await failure(read())).toMatchObject({ class: 'refused', reason: 'TokenExpired' });
  });

  test('may stand in the connection as it does for a scheduler', async () => {
    const { url, seen } = await json({ data: {} });
    const withToken = { token: Secret.of('holdfast/vault', '1', 'canary-plain') };
    await secretsClient([url], withToken).client.read('ldap.role.read', role, never);
    expect(seen.map((one) => one.headers['x-vault-token'])).toEqual(['canary-plain', 'canary-plain']);
  });
});
