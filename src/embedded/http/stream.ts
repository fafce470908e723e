// Replies whose body goes on for as long as there is something to tell.
import type { ServerResponse } from 'node:http';

/** Where the text of such a body goes. */
export interface Outlet {
  /** It is on its way at once. @returns false while the client is so far behind that it is better to wait for `onReady` */
  send(text: string): boolean;
  onReady(run: () => void): void;
  /** The connection is closed, by whomever. */
  onGone(run: () => void): void;
  end(text: string): void;
}

export interface StreamBody {
  readonly stream: (out: Outlet) => void;
  /** Neither chunked nor followed by another reply: the body ends with the connection. */
  readonly endsConnection: boolean;
}

/** As much as a kernel may hold for a connection: whoever is further behind is slow. */
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
