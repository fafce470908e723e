// Refuses requests of other sites' web pages: a page may have rebound its own host name to this address, or send
// requests across origins. This check comes before any other.
import { rmSync } from 'node:fs';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { hostIn, isLoopback } from '../../core/text/host.ts';

interface Denial {
  readonly status: 403 | 421;
  readonly message: string;
}

export class RequestFilter {
  /** The host that the server listens on. */
  readonly #host: string;
  readonly #port: () => number;
  /** Connections through the Unix socket. Its file permissions decide who may connect; a web page can't. */
  readonly #byFile = new WeakSet<object>();

  constructor(host: string, port: () => number) {
    this.#host = host.toLowerCase();
    this.#port = port;
  }

  /** @returns a function that stops listening. @throws Error if the socket can't be made */
  async listenAt(path: string, server: Server): Promise<() => void> {
    const sockets = new Set<Socket>();
    const door: NetServer = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      this.#byFile.add(socket);
      server.emit('connection', socket);
    });
    rmSync(path, { force: true }); // left by a killed process: the state's lock admits one process
    await new Promise<void>((resolve, reject) => {
      door.once('error', reject);
      door.listen({ path }, resolve);
    });
    door.on('error', () => {}); // a connection that was not accepted; its client sees the error
    return () => {
      door.close();
      for (const socket of sockets) socket.destroy();
    };
  }

  /** Whether the request is denied. A denied one is answered without reading its body, and its connection closes. */
  denies(request: IncomingMessage, response: ServerResponse): boolean {
    const denial = this.denialOf(request);
    if (!denial) return false;
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' };
    response.writeHead(denial.status, headers).end(denial.message);
    return true;
  }

  denialOf({ headers, socket }: IncomingMessage): Denial | undefined {
    if (!this.#byFile.has(socket) && !this.#isOwnHost(headers.host)) {
      const message =
        'the header Host names another server than this: it is reached as localhost, 127.0.0.1 or [::1]';
      return { status: 421, message };
    }
    const { origin, 'sec-fetch-site': site } = headers;
    const isForeign = origin !== undefined && origin !== `http://${headers.host ?? ''}`;
    if (!isForeign && (site === undefined || site === 'none' || site === 'same-origin')) return undefined;
    return { status: 403, message: 'a page of another origin asks for this' };
  }

  #isOwnHost(header: string | undefined): boolean {
    const asked = hostIn(header ?? '');
    if (!asked) return false;
    const isOurs = isLoopback(asked.name) || asked.name === this.#host;
    return isOurs && Number(asked.port || '80') === this.#port();
  }
}
