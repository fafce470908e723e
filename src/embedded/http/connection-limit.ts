// Limits the connections of each client. A client with too many gets 429 before it sends a request
// (services.md#connection-limit).
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
  readonly #open = new Map<string, number>();
  readonly #refused = new WeakSet<Socket>();

  /** @param max read at each new connection; 0 means no limit */
  constructor(max: () => number) {
    this.#max = max;
  }

  guard(server: Server): void {
    server.prependListener('connection', (socket: Socket) => this.#opened(socket));
  }

  /** Whether the connection was refused. The requests of a refused connection are ignored. */
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

/** @throws Error if the server has no port */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}
