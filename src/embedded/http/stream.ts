// Replies whose body continues for as long as there is something to send.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createGzip } from 'node:zlib';
import { takesGzip } from './gzip.ts';

export interface Outlet {
  /** Sends at once. @returns false if the client is far behind: wait for `onReady` */
  send(text: string): boolean;
  onReady(run: () => void): void;
  onGone(run: () => void): void;
  end(text: string): void;
}

export interface StreamBody {
  readonly stream: (out: Outlet) => void;
  /** Neither chunked nor followed by another reply: the body ends with the connection. */
  readonly endsConnection: boolean;
  /** Compressed for clients that take gzip. */
  readonly packs: boolean;
}

/** More than a kernel buffers for a connection: a client with so much unsent is slow. */
const unsentBytesMax = 1024 * 1024;

export function openStream(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = {} }: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
  { stream, endsConnection, packs }: StreamBody,
): void {
  const isPacked = packs && takesGzip(request.headers['accept-encoding']);
  response.useChunkedEncodingByDefault = !endsConnection;
  response
    .writeHead(status, {
      ...headers,
      ...(endsConnection && { Connection: 'close' }),
      ...(isPacked && { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }),
    })
    .flushHeaders();
  const onGone = (run: () => void) => (response.closed ? run() : response.once('close', run));
  if (isPacked) return stream({ ...packed(response), onGone });
  return stream({
    send(text) {
      response.write(text);
      return response.writableLength < unsentBytesMax;
    },
    onReady: (run) => response.on('drain', run),
    onGone,
    end: (text) => response.end(text),
  });
}

/** What is sent can be read at once: each text ends a block. */
function packed(response: ServerResponse): Omit<Outlet, 'onGone'> {
  const gzip = createGzip({ level: 1 });
  gzip.pipe(response);
  response.once('close', () => gzip.destroy());
  return {
    send(text) {
      gzip.write(text);
      gzip.flush(constants.Z_SYNC_FLUSH);
      return gzip.writableLength < unsentBytesMax;
    },
    onReady: (run) => gzip.on('drain', run),
    end: (text) => gzip.end(text),
  };
}
