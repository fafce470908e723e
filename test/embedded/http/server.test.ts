import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  Refusal,
  json,
  serve,
  type Endpoint,
  type RunningService,
  type ServiceOptions,
} from '../../../src/embedded/http/server.ts';
import { RequestLog } from '../../../src/embedded/http/request-counts.ts';
import { Router } from '../../../src/embedded/http/router.ts';
import { HttpClient, until } from '../../contract/client.ts';
import { ManualClock } from '../manual-clock.ts';

const endpoint = (method: string, path: string, handle: Endpoint['handle']): Endpoint => ({
  method,
  path,
  acl: 'none',
  handle,
});
const endpoints = [
  endpoint('GET', '/v1/fine', () => json({ fine: true })),
  endpoint('PUT', '/v1/echo', (request) => json(request.json())),
  endpoint('GET', '/v1/late-refusal', () => Promise.reject(new Refusal(409, 'too late'))),
  endpoint('GET', '/v1/bug', () => {
    throw new TypeError('a bug');
  }),
  endpoint('GET', '/setup/fine', () => json({ fine: true })),
];

const refuse = (status: number, text: string) => ({ status, body: { text } });

describe('an embedded service', () => {
  const clock = new ManualClock();
  let running: RunningService | undefined;
  let client: HttpClient;
  let log: RequestLog;

  const start = async ({
    endpoints: served = endpoints,
    ...more
  }: Partial<ServiceOptions> & { endpoints?: readonly Endpoint[] } = {}): Promise<void> => {
    log = new RequestLog();
    const options = { router: new Router(served), clock, log, refuse, authorize: () => {}, ...more };
    running = await serve(options, '127.0.0.1', 0);
    client = new HttpClient(running.url);
  };
  afterEach(async () => {
    await client.close();
    await running?.stop();
  });

  test('a body over 4 MiB is 413, and the connection lives on', async () => {
    await start();
    const body = JSON.stringify('x'.repeat(4 * 1024 * 1024 - 2));
    expect((await client.put('/v1/echo', body)).status).toBe(200);
    const answer = await client.put('/v1/echo', `${body} `);
    expect([answer.status, answer.text]).toEqual([413, 'the request body is longer than 4194304 bytes']);
  });

  test('broken JSON is refused without being quoted: it may hold secrets', async () => {
    await start();
    const answer = await client.put('/v1/echo', '{"Secrets":{"a":"canary"}');
    expect([answer.status, answer.text]).toEqual([400, 'invalid JSON in the request body']);
  });

  test('a request cut while its body is sent is dropped and noted, and others are answered', async () => {
    await start();
    const socket = connect(Number(new URL(running?.url ?? '').port), '127.0.0.1');
    const head = `PUT /v1/echo HTTP/1.1\r\nhost: ${new URL(running?.url ?? '').host}\r\ncontent-length: 100\r\n\r\n`;
    socket.write(`${head}{"half":`, () => socket.destroy());
    await until('it is noted', () => log.recent(1).length === 1);
    expect(log.recent(1)).toEqual([{ method: 'PUT', path: '/v1/echo', status: 'dropped' }]);
    expect((await client.get('/v1/fine')).status).toBe(200);
  });

  test('gzip is for those who take it', async () => {
    await start();
    const accepted = ['gzip', 'br, gzip;q=0.5', 'GZIP', 'gzip;q=0', 'br', 'gzipped', ''];
    const packed = ['gzip', 'gzip', 'gzip', undefined, undefined, undefined, undefined];
    const answers = await Promise.all(
      accepted.map((one) => client.get('/v1/fine', { headers: { 'accept-encoding': one } })),
    );
    expect(answers.map((one) => one.header('content-encoding'))).toEqual(packed);
  });

  test('a refusal is an answer even when it comes late; a bug is a 500, and somebody hears of it', async () => {
    const bugs: unknown[] = [];
    await start({ onBug: (bug) => bugs.push(bug) });
    expect(await client.get('/v1/late-refusal')).toMatchObject({ status: 409, text: 'too late' });
    expect(await client.get('/v1/bug')).toMatchObject({ status: 500, text: 'internal error: a bug' });
    expect(bugs).toEqual([new TypeError('a bug')]);
    expect(await client.get('/v1/%zz')).toMatchObject({ status: 400 });
  });

  test('faults cut the connection before or after the effect, and say which request it is', async () => {
    const told: unknown[] = [];
    const faults = ['drop-before', 'drop-after', 'none'] as const;
    const handled: string[] = [];
    await start({
      endpoints: [
        endpoint('PUT', '/v1/do/{id}', ({ params }) => {
          handled.push(params['id'] ?? '');
          return json({});
        }),
      ],
      onRequest(info) {
        told.push(info);
        return faults[info.n - 1] ?? 'none';
      },
    });
    for (const id of ['a', 'b']) expect(await client.put(`/v1/do/${id}`, {}).catch(() => 'cut')).toBe('cut');
    expect((await client.put('/v1/do/c', {})).status).toBe(200);
    expect(handled).toEqual(['b', 'c']);
    expect(told).toEqual([1, 2, 3].map((n) => ({ method: 'PUT', pattern: '/v1/do/{id}', n })));
    expect(log.recent(3).map((one) => one.status)).toEqual(['dropped', 'dropped', 200]);
  });

  test('latency holds back the replies of the API, and only those', async () => {
    await start({ latencyMs: 5 });
    const answer = client.get('/v1/fine');
    await until('the reply is held back', () => clock.waiting === 1);
    expect((await client.get('/setup/fine')).status).toBe(200);
    clock.advance(5);
    expect((await answer).status).toBe(200);
    expect(log.counts()).toEqual({ 'GET /v1/fine': 1 });
  });

  test('stopping cuts who is still connected', async () => {
    await start({ endpoints: [endpoint('GET', '/v1/never', () => new Promise(() => {}))] });
    const answer = client.get('/v1/never').catch(() => 'cut');
    await until('it is there', () => log.counts()['GET /v1/never'] === 1);
    await running?.stop();
    expect(await answer).toBe('cut');
  });
});
