// Logins as a service account of the cluster that the connection is declared in.
import { describe, expect, test } from 'vitest';
import type { RequestToken } from '../../../src/core/connection.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { failure, json, never } from '../servers.ts';
import { role, secretsClient } from './service.ts';

const account = { namespace: 'shop', name: 'login', audiences: ['vault'] };
const asAccount = { is: 'serviceAccount', mount: 'k8s', role: 'holdfast', account } as const;

describe('a login as a service account', () => {
  test('requests a token each time: one is good for ten minutes', async () => {
    const grant = { client_token: 't', lease_duration: 60, renewable: false };
    const { url, seen } = await json({ auth: grant, data: {} });
    const asked: unknown[] = [];
    const requestToken: RequestToken = async (of) => Secret.of('canary', '', `canary-${asked.push(of)}`);
    const { client, clock } = secretsClient([url], { auth: asAccount }, { requestToken });
    await client.read('ldap.role.read', role, never);
    clock.turn(61_000);
    await client.read('ldap.role.read', role, never);
    expect(asked).toEqual([account, account]);
    const logins = seen.filter((one) => one.url === '/v1/auth/k8s/login');
    expect(logins.map((one) => JSON.parse(one.body))).toEqual([
      { role: 'holdfast', jwt: 'canary-1' },
      { role: 'holdfast', jwt: 'canary-2' },
    ]);
  });

  test('that fails says what the cluster refused, or that there is no cluster', async () => {
    const { url, seen } = await json({});
    const why = new ApiError('refused', 'PermissionDenied', 'may not create serviceaccounts/token');
    const requestToken = () => Promise.reject(why);
    const { client } = secretsClient([url], { auth: asAccount }, { requestToken });
    expect(await failure(client.read('ldap.role.read', role, never))).toMatchObject({
      class: 'refused',
      reason: 'LoginFailed',
      message:
        "login.kubernetes: can't request a token of service account shop/login: may not create serviceaccounts/token",
    });
    const inDirectory = secretsClient([url], { auth: asAccount });
    expect(await failure(inDirectory.client.read('ldap.role.read', role, never))).toMatchObject({
      class: 'refused',
      reason: 'LoginFailed',
      message: expect.stringContaining('serviceAccountRef needs `--source kubernetes`'),
    });
    expect(seen).toEqual([]);
  });
});
