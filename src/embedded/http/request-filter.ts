// Requests that no program of this machine sends: those of a page in a browser, which may have made its own name resolve to
// this address, or which asks across origins. They are refused before anything else of them is looked at.
import { rmSync } from 'node:fs';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { hostIn, isLoopback } from '../../core/host.ts';

/** Why a request is not answered. */
interface Denial {
  readonly status: 403 | 421;
  readonly message: string;
}

export class RequestFilter {
  /** By that name it may be asked, too. */
  readonly #host: string;
  readonly #port: () => number;
  /** Connections by a file: who opened it has a right to, and no page gets there. */
  readonly #byFile = new WeakSet<object>();

  constructor(host: string, port: () => number) {
    this.#host = host.toLowerCase();
    this.#port = port;
  }

  /** @returns how to stop. @throws Error where there can't be a socket of that name */
  async listenAt(path: string, server: Server): Promise<() => void> {
    const sockets = new Set<Socket>();
    const door: NetServer = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      this.#byFile.add(socket);
      server.emit('connection', socket);
    });
    rmSync(path, { force: true }); // of a process that was killed: who holds the state has the name, too
    await new Promise<void>((resolve, reject) => {
      door.once('error', reject);
      door.listen({ path }, resolve);
    });
    door.on('error', () => {}); // a connection that was not accepted: its client hears of it
    return () => {
      door.close();
      for (const socket of sockets) socket.destroy();
    };
  }

  /** Its body is not read: the connection ends instead. */
  denies(request: IncomingMessage, response: ServerResponse): boolean {
    const denial = this.denialOf(request);
    if (!denial) return false;
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' };
    response.writeHead(denial.status, headers).end(denial.message);
    return true;
  }

  denialOf({ headers, socket }: IncomingMessage): Denial | undefined {
    if (!this.#byFile.has(socket) && !this.#isMeant(headers.host)) {
      const message =
        'the header Host names another server than this: it is reached as localhost, 127.0.0.1 or [::1]';
      return { status: 421, message };
    }
    const { origin, 'sec-fetch-site': site } = headers;
    const isForeign = origin !== undefined && origin !== `http://${headers.host ?? ''}`;
    if (!isForeign && (site === undefined || site === 'none' || site === 'same-origin')) return undefined;
    return { status: 403, message: 'a page of another origin asks for this' };
  }

  #isMeant(header: string | undefined): boolean {
    const asked = hostIn(header ?? '');
    if (!asked) return false;
    const isOurs = isLoopback(asked.name) || asked.name === this.#host;
    return isOurs && Number(asked.port || '80') === this.#port();
  }
}
