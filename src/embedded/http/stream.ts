// Replies that stream their body.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createGzip } from 'node:zlib';
import { takesGzip } from './gzip.ts';

export interface Outlet {
  /** Sends at once. @returns false if too much is unsent: wait for `onReady` before the next call */
  send(text: string): boolean;
  onReady(run: () => void): void;
  onGone(run: () => void): void;
  end(text: string): void;
}

export interface StreamBody {
  readonly stream: (out: Outlet) => void;
  /** The body is not chunked and ends with the connection. */
  readonly endsConnection: boolean;
  /** The body is compressed for clients that accept gzip. */
  readonly packs: boolean;
}

/** More than a kernel buffers for a connection: a client with this much unsent data is slow. */
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

/** Flushes after each text, so that the client can decode it at once. */
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
