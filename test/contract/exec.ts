// A session as any client of WebSockets has it: all frames that came, and how it ended.
import { WebSocket, type ClientOptions } from 'ws';
import type { SchedulerDialect } from '../../src/api/dialects.ts';

/** One frame of a service; the rest of its shape is for the tests to doubt. */
interface Frame {
  readonly stdout?: { readonly data?: string; readonly close?: boolean };
  readonly stderr?: { readonly data?: string; readonly close?: boolean };
  readonly exited?: boolean;
  readonly result?: object;
}

export interface Ended {
  readonly frames: readonly Frame[];
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  readonly reason: string;
  /** It was answered by HTTP. */
  readonly http: { readonly status: number; readonly text: string } | undefined;
}

/** Who is spoken to. */
interface Service {
  readonly url: string;
  readonly dialect: SchedulerDialect;
  readonly target: { readonly token: string | undefined };
}

export interface Talk {
  readonly id: string;
  /** Beside the allocation; a list is sent as JSON. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Sent at once, one after the other. */
  readonly sends?: readonly (object | string)[];
  /** Default: the target's token. */
  readonly token?: string;
}

/** Speaks until the other side closes. */
export function talk(
  { url, dialect, target }: Service,
  { id, query, sends = [], token = target.token ?? '' }: Talk,
): Promise<Ended> {
  const flat = Object.entries(query).map(([name, held]): [string, string] => [
    name,
    typeof held === 'string' ? held : JSON.stringify(held),
  ]);
  const address = `${url.replace('http', 'ws')}/v1/client/allocation/${id}/exec?${new URLSearchParams(flat).toString()}`;
  const headers = token === '' ? {} : { [dialect.headers.token]: token };
  /** Some leave the connection open behind a close frame. */
  const options: ClientOptions & { readonly closeTimeout: number } = { headers, closeTimeout: 500 };
  const socket = new WebSocket(address, options);
  const frames: Frame[] = [];
  const bytes = (stream: 'stdout' | 'stderr') =>
    Buffer.concat(frames.map((one) => Buffer.from(one[stream]?.data ?? '', 'base64'))).toString();
  return new Promise((resolve, reject) => {
    const end = (code: number, reason: string, http?: Ended['http']) =>
      resolve({ frames, stdout: bytes('stdout'), stderr: bytes('stderr'), code, reason, http });
    socket.on('open', () => {
      for (const one of sends) socket.send(typeof one === 'string' ? one : JSON.stringify(one));
    });
    socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())));
    socket.on('unexpected-response', (_, response) => {
      response.on('data', (data: Buffer) =>
        end(0, '', { status: response.statusCode ?? 0, text: data.toString() }),
      );
    });
    socket.on('close', (code, reason) => end(code, reason.toString()));
    socket.on('error', reject);
  });
}

export const stdin = (text: string) => ({ stdin: { data: Buffer.from(text).toString('base64') } });
export const stdinClose = { stdin: { close: true } };
