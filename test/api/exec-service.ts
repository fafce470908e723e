// What tests of commands need: services that say anything over a WebSocket, and errors that are looked through.
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import type { GateOptions } from '../../src/api/effect.ts';
import type { Pace } from '../../src/api/scheduler/exec-session.ts';
import { ExecClient, type Execution } from '../../src/api/scheduler/exec.ts';
import type { Connection } from '../../src/core/connection.ts';
import { ApiError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { connectionTo, everythingOf, failure, gate } from './servers.ts';
import { portOf } from '../support/port.ts';

export const canary = 'canary-that-nobody-may-see';
export const token = Secret.of('ns/token', '1', `${canary}-token`);
export const echo: Execution = {
  allocation: '3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01',
  task: 'server',
  command: ['echo', 'a'],
};

export const execClient = (
  addresses: readonly string[],
  more: Partial<Connection> = {},
  options: Partial<GateOptions> = {},
  pace?: Pace,
) => new ExecClient(connectionTo(addresses, more), gate(options), pace);

/** Accepts every socket; told of each, and of the request that asked for it. */
export async function sockets(
  attend: (socket: WebSocket, request: IncomingMessage, raw: Socket) => void,
): Promise<{ readonly url: string; readonly requests: readonly IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer();
  const accepting = new WebSocketServer({ server });
  accepting.on('connection', (socket, request) => {
    requests.push(request);
    socket.on('error', () => socket.terminate());
    attend(socket, request, request.socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of accepting.clients) socket.terminate();
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, requests };
}

export const data = (stream: string, text: string): string =>
  JSON.stringify({ [stream]: { data: Buffer.from(text).toString('base64') } });
export const exited = (result?: object): string =>
  JSON.stringify({ exited: true, ...(result && { result }) });
/** Sends these as soon as there is a socket. */
export const saying = (...frames: readonly (string | Buffer)[]) =>
  sockets((socket) => {
    for (const frame of frames) socket.send(frame);
  });

/** The error of a command, which holds nothing that is secret. */
export async function failed(act: Promise<unknown>): Promise<ApiError> {
  const error = await failure(act);
  expect(everythingOf(error)).not.toContain(canary);
  if (!(error instanceof ApiError)) throw error;
  return error;
}
