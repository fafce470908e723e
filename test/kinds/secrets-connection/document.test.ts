// A service that was made from the document alone: it tells neither its health nor anything about a token, as the document has no
// such endpoints. What the document has can be used all the same.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { secretsConnection } from '../../../src/kinds/secrets-connection/kind.ts';
import {
  appRole,
  errors,
  key as by,
  role,
  rotate,
  secretsClient,
  token as auth,
} from '../../api/secrets/service.ts';
import { connectionTo, failure, never, serve } from '../../api/servers.ts';
import { momentAt } from '../../support/moment.ts';

const key = { kind: 'SecretsConnection', namespace: '', name: 'production' };

interface Given {
  /** Of what it does not know. */
  readonly unknown?: { readonly status: number; readonly text: string };
  /** It looks at the token first, and this one is none of those that it knows. */
  readonly strange?: true;
  readonly denied?: true;
  readonly dialect?: 'secrets' | 'vault';
}

async function started({ unknown = { status: 404, text: '' }, strange, denied, dialect = 'secrets' }: Given) {
  const { url, seen } = await serve(({ url: at, headers, method }, response) => {
    const isNamed = 'x-secrets-token' in headers && !strange;
    if (at.endsWith('/login'))
      response.end('{"auth":{"client_token":"t","lease_duration":60,"renewable":false}}');
    else if (strange || (denied && !isNamed)) response.writeHead(403).end('permission denied');
    else if (!at.includes('/ldap/')) response.writeHead(unknown.status).end(unknown.text);
    else if (denied) response.writeHead(403).end(errors('permission denied'));
    else if (method === 'GET')
      response.end('{"data":{"username":"shop","dn":"uid=shop","rotation_period":60}}');
    else response.writeHead(204).end();
  });
  const count = (end: string) => seen.filter((one) => one.url.endsWith(end)).length;
  return { url, dialect, count };
}

async function planOf({ url, dialect }: { readonly url: string; readonly dialect: 'secrets' | 'vault' }) {
  const spec = {
    addresses: [url],
    dialect,
    auth: { tokenSecretRef: { namespace: 'holdfast-system', name: 'vault', key: 'token' } },
  };
  const object = { key, uid: 'u1', generation: 1, deleting: false, held: false, requests: {}, spec };
  const { client: read } = secretsClient([url], { auth, dialect });
  const connection = connectionTo([url], { service: 'secrets', auth, dialect });
  const around = { object, status: noStatus, read, resolved: new Map(), connection, nonce: '' };
  const seen = await secretsConnection.open({ key, spec, requests: {} }, {}).observe(around, never);
  return seen.plan(momentAt(0));
}

test.for<{ why: string; given: Given }>([
  { why: 'says nothing of what it does not know', given: {} },
  { why: 'says so as other services do', given: { unknown: { status: 404, text: errors() } } },
  { why: 'says so in words', given: { unknown: { status: 404, text: 'no such path' } } },
  { why: 'takes no such method', given: { unknown: { status: 405, text: errors('unsupported operation') } } },
  { why: 'lets nobody in without a token', given: { denied: true } },
])('a connection to one that $why can be used', async ({ given }) => {
  expect(await planOf(await started(given))).toMatchObject({ verdict: 'in-sync' });
});

test('a token that it does not know is told', async () => {
  expect(await planOf(await started({ strange: true }))).toMatchObject({
    verdict: 'blocked',
    reason: 'InvalidToken',
    stalls: true,
  });
});

test.for([404, 405])(
  'in the other dialect, a service without these endpoints is another service: %j',
  async (status) => {
    const unknown = { status, text: '' };
    expect(await planOf(await started({ dialect: 'vault', unknown }))).toMatchObject({ reason: 'Rejected' });
  },
);

test('a namespace that is not there is not taken for a missing endpoint', async () => {
  const unknown = { status: 404, text: errors('namespace not found') };
  expect(await planOf(await started({ unknown }))).toMatchObject({ reason: 'NamespaceNotFound' });
});

test.for([
  { why: 'a token', as: auth },
  { why: 'a login', as: appRole },
])('calls are made with $why, and a denial is what it says', async ({ as }) => {
  const { url, dialect } = await started({});
  const { client } = secretsClient([url], { auth: as, dialect });
  expect(await client.read('ldap.role.read', role, never)).toMatchObject({ username: 'shop' });
  expect(await client.perform(rotate, by, never)).toEqual({ is: 'done' });
  const other = await started({ denied: true });
  const { client: denied } = secretsClient([other.url], { auth: as, dialect });
  for (let n = 0; n < 4; n++)
    expect(await failure(denied.read('ldap.role.read', role, never))).toMatchObject({
      reason: 'PermissionDenied',
    });
  expect(other.count('/login')).toBeLessThan(3);
});
