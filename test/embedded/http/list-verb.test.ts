import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, serve, type Endpoint, type RunningService } from '../../../src/embedded/http/server.ts';
import { RequestLog } from '../../../src/embedded/http/request-counts.ts';
import { Router } from '../../../src/embedded/http/router.ts';
import { HttpClient } from '../../contract/client.ts';
import { ManualClock } from '../manual-clock.ts';

const things: Endpoint = {
  method: 'LIST',
  path: '/v1/things/{id}',
  acl: 'none',
  handle: ({ params, query, headers }) =>
    json({ id: params['id'], deep: query.get('deep'), token: headers['x-token'] }),
};

const refuse = (status: number, text: string) => ({ status, body: { text } });

/** All that the service says to these bytes, until it ends the connection. */
const raw = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    socket.on('error', reject);
    socket.on('end', () => resolve(said));
  });

describe('the LIST verb', () => {
  let running: RunningService;
  let client: HttpClient;
  beforeAll(async () => {
    const options = { clock: new ManualClock(), log: new RequestLog(), authorize: () => {} };
    const router = new Router([things]);
    running = await serve({ ...options, router, refuse, takesList: true }, '127.0.0.1', 0);
    client = new HttpClient(running.url);
  });
  afterAll(async () => {
    await client.close();
    await running.stop();
  });

  test('is routed and answered like any other, with query and headers', async () => {
    const answer = await client.send('LIST', '/v1/things/a?deep=1', { headers: { 'X-Token': 't' } });
    expect([answer.status, answer.json()]).toEqual([200, { id: 'a', deep: '1', token: 't' }]);
  });

  test('after another request on the same connection it is answered, too', async () => {
    const { host } = new URL(running.url);
    const get = `GET /v1/nowhere HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
    const list = `LIST /v1/things/b HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
    const single = await raw(running.url, list);
    expect(single).toMatch(/^HTTP\/1\.1 200 .*"id":"b"/s);
    const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
    const replies: string[] = [];
    socket.write(get);
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        replies.push(chunk.toString());
        if (replies.length === 1) socket.write(list);
      });
      socket.on('end', resolve);
    });
    expect(replies.join('')).toMatch(/^HTTP\/1\.1 404 .*HTTP\/1\.1 200 .*"id":"b"/s);
  });

  test.each([
    'LISTS /v1/things/a HTTP/1.1\r\n\r\n',
    'LIST things HTTP/1.1\r\n\r\n',
    'LIST /v1/things/a HT',
    '\u0000\u0001\r\n\r\n',
  ])('what only looks like it is a 400, and the service lives on: %j', async (bytes) => {
    expect(await raw(running.url, bytes)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await client.send('LIST', '/v1/things/a')).status).toBe(200);
  });
});
