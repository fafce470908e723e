// A limit to the connections of one client. Who has too many gets an answer before asking anything, and no more than that
// (wire.md 2.1, "Too many connections").
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const text = 'Your IP is issuing too many concurrent connections, please rate limit your calls\n';
const answer = [
  'HTTP/1.1 429 Too Many Requests',
  'Content-Type: text/plain',
  `Content-Length: ${text.length}`,
  'Connection: close',
  '',
  text,
].join('\r\n');

export class ConnectionLimit {
  readonly #max: () => number;
  /** Client's address → its open connections. */
  readonly #open = new Map<string, number>();
  readonly #refused = new WeakSet<Socket>();

  /** @param max asked at each new connection; 0: there is no limit. */
  constructor(max: () => number) {
    this.#max = max;
  }

  guard(server: Server): void {
    server.prependListener('connection', (socket: Socket) => this.#opened(socket));
  }

  /** Its requests are not to be answered: that has been done. */
  hasRefused(socket: Socket): boolean {
    return this.#refused.has(socket);
  }

  #opened(socket: Socket): void {
    const client = socket.remoteAddress ?? '';
    const count = (this.#open.get(client) ?? 0) + 1;
    this.#open.set(client, count);
    socket.once('close', () => this.#closed(client));
    const max = this.#max();
    if (max === 0 || count <= max) return;
    this.#refused.add(socket);
    socket.end(answer);
  }

  #closed(client: string): void {
    const left = (this.#open.get(client) ?? 1) - 1;
    if (left > 0) this.#open.set(client, left);
    else this.#open.delete(client);
  }
}

/** @throws Error where it does not listen on one */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}
