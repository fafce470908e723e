// A page in a browser can reach loopback: by a name of its own that it made resolve to 127.0.0.1, or across origins.
// Passwords and set-up were readable like that. What no program of this machine sends is refused before all else.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rootToken, running, withRole, type Running } from '../secrets/running.ts';
import * as schedulers from '../scheduler/running.ts';

const token = 'canary-management-token-3a1d';
const exec =
  '/v1/client/allocation/3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01/exec?task=server&command=%5B%22date%22%5D';
const upgrade =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

/** The first that a service says to these bytes. */
const said = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    socket.once('data', (chunk: Buffer) => {
      resolve(chunk.toString());
      socket.destroy();
    });
    socket.on('error', reject);
  });

const strange = [
  { why: 'a name that was made to resolve to this machine', host: () => 'rebound.example.com', status: 421 },
  { why: 'such a name with our port', host: (at: string) => `rebound.example.com:${at}`, status: 421 },
  { why: 'a name that begins like ours', host: (at: string) => `127.0.0.1.example.com:${at}`, status: 421 },
  { why: 'another port of this machine', host: () => '127.0.0.1:1', status: 421 },
  { why: 'no port', host: () => 'localhost', status: 421 },
  { why: 'nothing', host: () => '', status: 421 },
  {
    why: 'another origin',
    host: (at: string) => `127.0.0.1:${at}`,
    more: 'Origin: https://example.com\r\n',
    status: 403,
  },
  {
    why: 'an origin that is kept secret',
    host: (at: string) => `127.0.0.1:${at}`,
    more: 'Origin: null\r\n',
    status: 403,
  },
  {
    why: 'a page of this machine on another port',
    host: (at: string) => `localhost:${at}`,
    more: 'Sec-Fetch-Site: same-site\r\n',
    status: 403,
  },
  {
    why: 'across sites, without an origin',
    host: (at: string) => `localhost:${at}`,
    more: 'Sec-Fetch-Site: cross-site\r\n',
    status: 403,
  },
];

describe('a page of a browser', () => {
  let scheduler: schedulers.Running;
  let secrets: Running;
  beforeAll(async () => {
    scheduler = await schedulers.running({ token });
    secrets = await withRole();
  });
  afterAll(() => Promise.all([scheduler.stop(), secrets.stop()]));

  const asked = [
    {
      what: 'a live password',
      to: () => secrets.server.url,
      line: 'GET /v1/ldap/static-cred/shop',
      more: `X-Vault-Token: ${rootToken}\r\n`,
    },
    {
      what: 'roles, by the verb LIST',
      to: () => secrets.server.url,
      line: 'LIST /v1/ldap/static-role',
      more: `X-Vault-Token: ${rootToken}\r\n`,
    },
    {
      what: 'health, which needs no token',
      to: () => secrets.server.url,
      line: 'GET /v1/sys/health',
      more: '',
    },
    {
      what: 'set-up',
      to: () => secrets.server.url,
      line: 'GET /setup/counters',
      more: `X-Vault-Token: ${rootToken}\r\n`,
    },
    {
      what: 'volumes',
      to: () => scheduler.server.url,
      line: 'GET /v1/volumes?type=csi',
      more: `X-Nomad-Token: ${token}\r\n`,
    },
    {
      what: 'set-up of the cluster',
      to: () => scheduler.server.url,
      line: 'GET /setup/counters',
      more: `X-Nomad-Token: ${token}\r\n`,
    },
    {
      what: 'the event stream',
      to: () => scheduler.server.url,
      line: 'GET /v1/event/stream',
      more: `X-Nomad-Token: ${token}\r\n`,
    },
    {
      what: 'a command in a task',
      to: () => scheduler.server.url,
      line: `GET ${exec}`,
      more: `X-Nomad-Token: ${token}\r\n${upgrade}`,
    },
    { what: 'what is not there', to: () => scheduler.server.url, line: 'GET /none', more: '' },
  ];

  test.each(asked)('could get $what', async ({ to, line, more }) => {
    const port = new URL(to()).port;
    const as = (host: string, besides = '') =>
      said(to(), `${line} HTTP/1.1\r\nHost: ${host}\r\n${more}${besides}\r\n`);
    for (const one of strange) {
      const answer = await as(one.host(port), one.more);
      expect(answer, one.why).toMatch(new RegExp(`^HTTP/1\\.1 ${one.status} `));
      expect(answer, one.why).not.toMatch(/password|orders|shop/);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect(await as(host), host).not.toMatch(/^HTTP\/1\.1 (421|403) /);
    }
    const own = `Origin: http://localhost:${port}\r\nSec-Fetch-Site: same-origin\r\n`;
    expect(await as(`localhost:${port}`, own)).not.toMatch(/^HTTP\/1\.1 (421|403) /);
  });
});

test('what is refused is not counted, not logged, and does nothing', async () => {
  const here = await running();
  const port = new URL(here.server.url).port;
  const body = '{"type":"keymgmt"}';
  const answer = await said(
    here.server.url,
    `POST /v1/sys/mounts/k HTTP/1.1\r\nHost: evil:${port}\r\nX-Vault-Token: ${rootToken}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 421 /);
  expect(here.server.counters()).toMatchObject({ routes: {}, writes: 0 });
  expect((await here.client.get('/v1/sys/mounts/k')).status).toBe(400);
  await here.stop();
});
