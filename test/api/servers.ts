// Real servers and clients for tests of the API layer; each is closed when its test ends.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { onTestFinished } from 'vitest';
import { EffectGate, type GateOptions } from '../../src/api/effect.ts';
import { HttpTransport, type HttpRequest } from '../../src/api/http/transport.ts';
import { SchedulerClient } from '../../src/api/scheduler/client.ts';
import type { Connection } from '../../src/core/connection.ts';
import { portOf } from '../support/port.ts';

/** A request as a server saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Served {
  readonly url: string;
  readonly seen: readonly Seen[];
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

/** Answers each request once its body is there. */
export async function serve(answer: (request: Seen, response: ServerResponse) => void): Promise<Served> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      answer(one, response);
    });
  });
  const url = await listen(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url, seen };
}

export const json = (value: unknown, headers: Readonly<Record<string, string>> = {}) =>
  serve((_, response) => {
    response.writeHead(200, headers).end(JSON.stringify(value));
  });

/** Speaks bytes: told of every request by its first line, and how often this socket was used. */
export async function serveBytes(
  answer: (socket: Socket, line: string, use: number, bytes: Buffer) => void,
): Promise<{ readonly url: string; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    let use = 0;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      const line = bytes.toString('latin1').split('\r\n', 1)[0] ?? '';
      lines.push(line);
      use += 1;
      answer(socket, line, use, bytes);
    });
  });
  const url = await listen(server);
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url, lines };
}

/** Where nobody listens. */
export async function deadUrl(): Promise<string> {
  const server = createSocketServer();
  const url = await listen(server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return url;
}

export const gate = (options: Partial<GateOptions> = {}): EffectGate =>
  new EffectGate({ nowMs: () => performance.now(), ...options });

export function transport(...addresses: readonly string[]): HttpTransport {
  const made = new HttpTransport({ addresses, connections: 4, gate: gate() });
  onTestFinished(async () => {
    await made.close();
  });
  return made;
}

export const never = new AbortController().signal;

/** A transport for answers that go on. */
export function streams(url: string, silenceMs = 60_000): HttpTransport {
  const made = new HttpTransport({ addresses: [url], connections: 1, gate: gate(), silenceMs });
  onTestFinished(async () => {
    await made.close();
  });
  return made;
}

/** A read, unless a test says otherwise. */
export const request = (more: Partial<HttpRequest> = {}): HttpRequest => ({
  info: { port: 'scheduler', op: 'volume.read', mutates: false },
  method: 'GET',
  path: '/v1/volume/csi/data',
  headers: {},
  signal: never,
  deadlineMs: 10_000,
  ...more,
});

export const connectionTo = (addresses: readonly string[], more: Partial<Connection> = {}): Connection => ({
  service: 'scheduler',
  backend: 'b1',
  addresses,
  dialect: 'nomad',
  namespace: 'default',
  access: [],
  defaults: {},
  limits: { maxConcurrent: 4, deletions: { perHour: 20, percent: 30 } },
  ...more,
});

export function client(
  addresses: readonly string[],
  more: Partial<Connection> = {},
  options: Partial<GateOptions> = {},
): SchedulerClient {
  const made = new SchedulerClient(connectionTo(addresses, more), gate(options));
  onTestFinished(() => made.close());
  return made;
}

/** What was thrown. */
export async function failure(act: Promise<unknown>): Promise<unknown> {
  try {
    await act;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** All that there is to see of an error: its stack, its fields, hidden ones too, and all its causes. */
export const everythingOf = (error: unknown): string =>
  inspect(error, { depth: Infinity, showHidden: true, customInspect: false, maxStringLength: Infinity });
