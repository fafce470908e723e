// Requests that are never sent to their end: 300 of them kept a supervisor from /healthz for 25 s, which ends in a restart.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/poll.ts';
import { get, Listener, served } from './serving.ts';

const probes = ['/healthz', '/readyz', '/metrics'];

/** So many connections, each of which has sent that much. */
async function crowd(url: string, count: number, sent: string): Promise<readonly Socket[]> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(sent);
      return socket;
    }),
  );
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  return sockets;
}

test.for([
  ['nothing', ''],
  ['half a line', 'GET /heal'],
  ['half a head', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-'],
  ['half a body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{'],
  ['all of it, and read no answer', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3)],
])('300 connections that have sent %s shut nobody out of health and metrics', async ([, sent = '']) => {
  const { web } = await served();
  const sockets = await crowd(web.url, 300, sent);
  if (sent.includes('\r\n\r\n')) for (const socket of sockets) socket.pause();
  const started = performance.now();
  for (let again = 0; again < 3; again += 1) {
    for (const path of probes) expect((await get(web.url + path)).status).toBe(200);
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('who listens to the page goes on listening while others crowd in', async () => {
  const { web } = await served();
  const listener = await Listener.open(`${web.url}/events`);
  expect(listener.status).toBe(200);
  const sockets = await crowd(web.url, 600, 'GET /');
  await eventually('too many are let go', () => sockets.filter((one) => !one.closed).length <= 256);
  expect(listener.closed).toBe(false);
  expect((await get(`${web.url}/healthz`)).status).toBe(200);
});

test('what is never sent to its end is let go after a few seconds', async () => {
  const { web } = await served();
  const [socket] = await crowd(web.url, 1, 'GET / HTTP/1.1\r\nHost: localhost\r\n');
  const dripping = setInterval(() => socket?.write('X-A: b\r\n'), 200);
  onTestFinished(() => clearInterval(dripping));
  socket?.resume();
  const isClosed = () => socket?.closed === true;
  expect(await eventually('it is closed', isClosed, { withinMs: 12_000 })).toBe(true);
}, 15_000);
