// What a thousand calls cost the services in connections, and what they leave behind here: nothing.
import { getEventListeners } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { role, rotate, secretsClient } from './secrets/service.ts';
import { eventually } from '../support/poll.ts';
import { client, never } from './servers.ts';
import { portOf } from '../support/port.ts';

const token = Secret.of('ops/token', '1', 'canary-connection-token');
/** Counts the sockets that are opened to it. */
async function counting(answer: RequestListener) {
  const counts = { opened: 0, open: 0, requests: 0 };
  const server = createServer((request, response) => {
    counts.requests += 1;
    answer(request.resume(), response);
  });
  server.on('connection', (socket) => {
    counts.opened += 1;
    counts.open += 1;
    socket.on('close', () => (counts.open -= 1));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { counts, url: `http://127.0.0.1:${portOf(server)}` };
}

type Call = (signal: AbortSignal) => Promise<unknown>;

const at = { id: 'data', namespace: 'shop' };
const limits = { maxConcurrent: 4, deletions: { perHour: 1, percent: 1 } };

/** A read and a write of each client, and what ends it. */
const services: readonly {
  readonly service: string;
  readonly begin: (url: string) => {
    readonly calls: readonly [Call, Call];
    readonly close: () => Promise<void>;
  };
}[] = [
  {
    service: 'the scheduler',
    begin: (url) => {
      const sender = client([url], { token, limits });
      const gone = { port: 'scheduler', op: 'volume.deregister', params: at } as const;
      return {
        calls: [
          (signal) => sender.read('volume.read', at, signal),
          (signal) => sender.perform(gone, 'k', signal),
        ],
        close: () => sender.close(),
      };
    },
  },
  {
    service: 'the secrets service',
    begin: (url) => {
      const { client: sender } = secretsClient([url], { token, limits });
      return {
        calls: [
          (signal) => sender.read('ldap.role.read', role, signal),
          (signal) => sender.perform(rotate, 'k', signal),
        ],
        close: () => sender.close(),
      };
    },
  },
];

const fine: RequestListener = (_, response) => response.end('{"data":{"ttl":0}}');

/** How many things of a sort keep the process awake. */
const active = (sort: 'Timeout' | 'TCPSocketWrap'): number =>
  process.getActiveResourcesInfo().filter((name) => name === sort).length;

async function times(count: number, atOnce: number, one: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

describe.for(services)('$service', ({ begin }) => {
  test.for([1, 4])('a thousand calls, %i at once, take at most five connections', async (atOnce) => {
    const { url, counts } = await counting(fine);
    const { calls } = begin(url);
    await times(1_000, atOnce, (one) => calls[one % 2 === 0 ? 0 : 1](never));
    expect(counts.requests).toBeGreaterThanOrEqual(1_000);
    expect(counts.opened).toBeLessThanOrEqual(5);
  });

  test('a thousand calls that go well, badly and half way leave no socket, timer or listener', async () => {
    const troubles: readonly RequestListener[] = [
      fine,
      (_, response) => response.writeHead(500).end('rpc error'),
      (_, response) => response.end('no JSON'),
      (_, response) => response.destroy(),
      (_, response) =>
        response.writeHead(200, { 'content-length': '9' }).write('{', () => response.destroy()),
      () => {}, // whoever asked goes
      (_, response) => response.writeHead(403).end('x'.repeat(70_000)),
    ];
    let turn = 0;
    const { url, counts } = await counting((request, response) => {
      const isOfSession = request.url?.includes('/token/') === true;
      (isOfSession ? fine : (troubles[turn++ % troubles.length] ?? fine))(request, response);
    });
    const warnings: string[] = [];
    const warned = (warning: Error) => warnings.push(warning.name);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const before = { timers: active('Timeout'), sockets: active('TCPSocketWrap') };
    const { calls, close } = begin(url);
    const whole = new AbortController();
    await times(1_000, 4, async (one) => {
      const asked = new AbortController();
      const patience = setTimeout(() => asked.abort(), 50);
      const signal = AbortSignal.any([asked.signal, whole.signal]);
      await calls[one % 2 === 0 ? 0 : 1](signal).catch((error: unknown) =>
        expect(error).toBeInstanceOf(ApiError),
      );
      clearTimeout(patience);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
    expect(getEventListeners(whole.signal, 'abort')).toEqual([]);
    await close();
    await eventually('all sockets are closed', () => counts.open === 0);
    const isAsBefore = () => active('Timeout') <= before.timers && active('TCPSocketWrap') <= before.sockets;
    await eventually('nothing is left', isAsBefore);
    expect(warnings).toEqual([]);
  });
});
