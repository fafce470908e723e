// Where secrets go: to the declared address and nowhere else, in the header that is theirs and in none that they make up.
import { describe, expect, test } from 'vitest';
import type { Auth } from '../../src/core/connection.ts';
import { ApiError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { call, operations } from './every-op.ts';
import { echo, execClient } from './exec-service.ts';
import { client, everythingOf, failure, json, never, serve } from './servers.ts';
import { appRole, errors, role, secretsClient } from './secrets/service.ts';

const token = Secret.of('ops/token', '1', 'canary-trusted-token');

describe.for([301, 302, 303, 307, 308])('a redirect by %i, on the same host or to another', (status) => {
  async function astray(location: (own: string, other: string) => string) {
    const other = await serve((_, response) => response.end('{"data":{"ttl":0},"auth":{}}'));
    const first = await serve(({ url, headers }, response) => {
      if (url.endsWith('/lookup-self') || url === '/elsewhere') response.end('{"data":{"ttl":0}}');
      else response.writeHead(status, { location: location(`http://${headers.host}`, other.url) }).end();
    });
    return { first, other };
  }
  const places: readonly ((own: string, other: string) => string)[] = [
    (_, other) => `${other}/v1/volumes`,
    (own) => `${own}/elsewhere`,
    () => '/elsewhere',
    (_, other) => other.replace('http:', ''),
  ];

  test('is followed by no operation: the token and what was sent stay', async () => {
    for (const place of places) {
      const { first, other } = await astray(place);
      const scheduler = client([first.url], { token });
      const { client: secrets } = secretsClient([first.url], { token });
      for (const operation of operations.filter(({ op }) => op !== 'token.lookup')) {
        const came = await call(operation.service === 'scheduler' ? scheduler : secrets, operation);
        expect(JSON.stringify(came), operation.op).toContain('Redirected');
      }
      expect(other.seen).toEqual([]);
      expect(first.seen.filter(({ url }) => url === '/elsewhere')).toEqual([]);
    }
  });

  test.for<Auth>([appRole, { is: 'jwt', mount: 'jwt', role: 'r', jwt: token }])(
    'is followed by no login: $is',
    async (auth) => {
      const { first, other } = await astray((_, elsewhere) => `${elsewhere}/v1/auth/approle/login`);
      const { client: secrets } = secretsClient([first.url], { auth });
      expect(await failure(secrets.read('ldap.role.read', role, never))).toMatchObject({
        reason: 'Redirected',
      });
      expect(other.seen).toEqual([]);
    },
  );

  test('is followed neither by the event stream nor by a command', async () => {
    const { first, other } = await astray((_, elsewhere) => `${elsewhere}/v1/event/stream`);
    const clock = { nowMs: () => 0, setTimer: () => () => {} };
    const how = { clock, random: () => 0, signal: never };
    const told = client([first.url], { token }).events({ topics: ['*'], namespace: '*' }, how);
    const one = await told.next();
    expect(one.value).toMatchObject({
      is: 'lost',
      message: expect.stringContaining('a redirect, which is never followed'),
    });
    expect(await failure(execClient([first.url], { token }).execute(echo, never))).toMatchObject({
      reason: 'Redirected',
    });
    expect(other.seen).toEqual([]);
  });
});

const injected = [
  'canary\r\nX-Other: 1',
  'canary\nx',
  'canary\rx',
  'canary\0',
  'canary x',
  'canaré',
  'canary\u2028x',
  '',
];

describe('what would make up a header of its own is refused, unsent and unquoted', () => {
  test.for(injected)('as a token: %j', async (value) => {
    const bad = Secret.of('ops/token', '1', value);
    const { url, seen } = await json({});
    const { client: secrets } = secretsClient([url], { token: bad });
    for (const operation of operations.filter(({ route }) => route.acl !== 'none')) {
      const came = await call(
        operation.service === 'scheduler' ? client([url], { token: bad }) : secrets,
        operation,
      );
      expect(came).toMatchObject(
        operation.route.mutates === false
          ? { error: { reason: 'InvalidToken' } }
          : { outcome: { is: 'rejected' } },
      );
      expect(everythingOf(came)).not.toContain('canar');
    }
    expect(seen).toEqual([]);
  });

  test.for(injected.filter((value) => value !== ''))(
    'as a namespace of the secrets service: %j',
    async (namespace) => {
      const { url, seen } = await json({ data: { ttl: 0 } });
      const error = await failure(
        secretsClient([url], { namespace }).client.read('ldap.role.read', role, never),
      );
      expect(error).toBeInstanceOf(ApiError);
      expect(everythingOf(error)).not.toContain('canar');
      expect(seen).toEqual([]);
    },
  );

  test.for(['canary\r\nX-Other: 1', 'canary\n', 'a,b=canary', 'canary\0', 'canaré', 'canary '])(
    'as a secret for a plugin: %j',
    async (value) => {
      const { url, seen } = await json({});
      const secrets = { key: Secret.of('shop/csi', '1', value) };
      const params = { namespace: 'shop', plugin_id: 'ebs', snapshot_id: 's', secrets };
      const outcome = await client([url]).perform(
        { port: 'scheduler', op: 'snapshot.delete', params },
        'k',
        never,
      );
      expect(outcome).toMatchObject({ is: 'rejected', error: { reason: 'InvalidSecret' } });
      expect(everythingOf(outcome)).not.toContain('canar');
      expect(seen).toEqual([]);
    },
  );

  test('as a granted token: the session has none then', async () => {
    const { url } = await serve((request, response) => {
      if (request.url.endsWith('/login'))
        response.end(
          JSON.stringify({ auth: { client_token: 'canary\r\nX: 1', lease_duration: 60, renewable: true } }),
        );
      else response.writeHead(403).end(errors('permission denied'));
    });
    const error = await failure(
      secretsClient([url], { auth: appRole }).client.read('ldap.role.read', role, never),
    );
    const message = 'login.approle: the answer grants no token';
    expect(error).toMatchObject({ class: 'unreadable', message });
    expect(everythingOf(error)).not.toContain('canary\\r');
  });
});
