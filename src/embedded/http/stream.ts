// Replies whose body continues for as long as there is something to send.
import type { ServerResponse } from 'node:http';

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
}

/** More than a kernel buffers for a connection: a client with so much unsent is slow. */
const unsentBytesMax = 1024 * 1024;

export function openStream(
  response: ServerResponse,
  { status, headers = {} }: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
  { stream, endsConnection }: StreamBody,
): void {
  response.useChunkedEncodingByDefault = !endsConnection;
  response.writeHead(status, { ...headers, ...(endsConnection && { Connection: 'close' }) }).flushHeaders();
  stream({
    send(text) {
      response.write(text);
      return response.writableLength < unsentBytesMax;
    },
    onReady: (run) => response.on('drain', run),
    onGone: (run) => (response.closed ? run() : response.once('close', run)),
    end: (text) => response.end(text),
  });
}
