// TLS of a connection, over real sockets and with certificates made here: whoever can't prove who it is, is told nothing.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Clock } from '../../src/core/time/clock.ts';
import type { Connection } from '../../src/core/connection.ts';
import { ApiError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { echo, execClient, exited } from './exec-service.ts';
import { client, everythingOf, failure, never } from './servers.ts';
import { role, secretsClient } from './secrets/service.ts';
import { portOf } from '../support/port.ts';

let folder = '';
const pem = (name: string): string => readFileSync(join(folder, name), 'utf8');
const box = (name: string): Secret => Secret.of(`ops/${name}`, '1', pem(name));
const token = Secret.of('ops/token', '1', 'canary-tls-token');
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tls-'));
  if (hasOpenssl) makeCertificates(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Listening {
  readonly url: string;
  /** Requests that came through. */
  readonly seen: string[];
  /** Names that were asked for, and whose certificate was shown. */
  readonly met: { readonly name: string | false | undefined; readonly subject: string | undefined }[];
}

const answer: RequestListener = ({ url = '' }, response) => {
  if (url.startsWith('/v1/event/stream')) response.write('{}\n');
  else response.end(url.includes('lookup-self') ? '{"data":{"ttl":0}}' : '{"data":{}}');
};

async function listening(demands = false): Promise<Listening> {
  const seen: string[] = [];
  const met: Listening['met'] = [];
  const options = { ca: pem('ca.pem'), cert: pem('server.pem'), key: pem('server.key') };
  const server = createServer({ ...options, requestCert: demands, rejectUnauthorized: demands });
  server.on('request', (request, response) => {
    seen.push(request.url ?? '');
    answer(request, response);
  });
  server.on('secureConnection', (socket: TLSSocket & { readonly servername?: string | false }) => {
    const { subject } = socket.getPeerCertificate();
    met.push({ name: socket.servername, subject: subject === undefined ? undefined : String(subject.CN) });
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    seen.push(request.url ?? '');
    socket.send(exited({ exit_code: 0 }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
    server.closeAllConnections();
  });
  return { url: `https://127.0.0.1:${portOf(server)}`, seen, met };
}

const clock: Clock = {
  nowMs: () => Date.now(),
  setTimer: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

type TLS = NonNullable<Connection['tls']>;
const at = { id: 'data', namespace: 'shop' };

const none = (name: string): Secret => Secret.of(`ops/${name}`, '1', `canary-${name}`);

/** Each way out of the process: it ends, or fails. */
const ways: readonly { readonly way: string; readonly go: (url: string, tls?: TLS) => Promise<unknown> }[] = [
  {
    way: 'a read of the scheduler',
    go: (url, tls) => client([url], { token, ...(tls && { tls }) }).read('volume.read', at, never),
  },
  {
    way: 'a read of the secrets service',
    go: (url, tls) =>
      secretsClient([url], { token, ...(tls && { tls }) }).client.read('ldap.role.read', role, never),
  },
  {
    way: 'the event stream',
    go: async (url, tls) => {
      const end = new AbortController();
      const how = { clock, random: () => 0, signal: end.signal };
      const told = client([url], { token, ...(tls && { tls }) }).events(
        { topics: ['*'], namespace: '*' },
        how,
      );
      const first = await told.next();
      end.abort();
      if (first.value?.is === 'lost') throw new ApiError('unavailable', 'Unavailable', first.value.message);
      return first.value;
    },
  },
  {
    way: 'a command',
    go: (url, tls) => execClient([url], { token, ...(tls && { tls }) }).execute(echo, never),
  },
];

describe.skipIf(!hasOpenssl).for(ways)('$way', ({ go }) => {
  test('goes to whom the declared authority knows', async () => {
    const { url, seen } = await listening();
    await go(url, { ca: box('ca.pem') });
    expect(seen).not.toEqual([]);
  });

  test('goes to nobody whom it does not know, or who is called something else', async () => {
    const { url, seen } = await listening();
    const strangers: readonly (TLS | undefined)[] = [
      undefined,
      { ca: box('client.pem') },
      { ca: box('ca.pem'), serverName: 'other.example' },
    ];
    for (const tls of strangers) {
      const error = await failure(go(url, tls));
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ class: 'unavailable', mayHaveHadEffect: false });
      expect(everythingOf(error)).not.toMatch(/canary|PRIVATE KEY/);
    }
    expect(seen).toEqual([]);
  });

  test('goes to nobody whom it does not know, whatever the environment says', async () => {
    const { url, seen } = await listening();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await failure(go(url, undefined))).toMatchObject({ class: 'unavailable' });
    expect(seen).toEqual([]);
  });

  test('asks for the declared name', async () => {
    const { url, met } = await listening();
    await go(url, { ca: box('ca.pem'), serverName: 'localhost' });
    expect(met[0]?.name).toBe('localhost');
  });

  test('shows its own certificate to who demands one', async () => {
    const { url, seen, met } = await listening(true);
    await go(url, { ca: box('ca.pem'), certificate: box('client.pem'), key: box('client.key') });
    expect(seen).not.toEqual([]);
    expect(met[0]?.subject).toBe('client');
    const { length } = seen;
    expect(await failure(go(url, { ca: box('ca.pem') }))).toMatchObject({ class: 'unavailable' });
    expect(seen).toHaveLength(length);
  });

  test('fails without showing them where certificate or key are none', async () => {
    const { url, seen } = await listening();
    const error = await failure(
      go(url, { ca: box('ca.pem'), certificate: none('certificate'), key: none('key') }),
    );
    expect(error).toBeInstanceOf(ApiError);
    expect(everythingOf(error)).not.toContain('canary');
    expect(seen).toEqual([]);
  });
});

describe.skipIf(!hasOpenssl).for(ways.slice(0, 2))('$way', ({ go }) => {
  test('says what a service that closes the connection without a word may want: a client certificate', async () => {
    const { url } = await listening(true);
    const message = expect.stringContaining('it may want a client certificate that it trusts');
    expect(await failure(go(url, { ca: box('ca.pem') }))).toMatchObject({ message });
  });
});
