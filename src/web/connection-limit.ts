// Limits connections without ever refusing a new one: a new connection replaces one of the client with the most, preferably
// one without a request in progress. So a client that never completes its requests can't lock others out.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class ConnectionLimit {
  readonly #max: number;
  /** Client's address → its connections, oldest first. */
  readonly #of = new Map<string, Set<Socket>>();
  /** Port of a client → its responses in progress, such as a browser's event stream. */
  readonly #answered = new Map<string, number>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  guard(server: Server): void {
    server.prependListener('connection', (socket: Socket) => this.#opened(socket));
    server.prependListener('request', ({ socket }, response: ServerResponse) =>
      this.#asked(socket, response),
    );
  }

  #opened(socket: Socket): void {
    const client = socket.remoteAddress ?? '';
    const own = this.#of.get(client) ?? new Set();
    this.#of.set(client, own.add(socket));
    this.#count += 1;
    socket.once('close', () => {
      this.#count -= 1;
      own.delete(socket);
      if (own.size === 0 && this.#of.get(client) === own) this.#of.delete(client);
    });
    if (this.#count > this.#max) this.#dispensable(socket)?.destroy();
  }

  #asked(socket: Socket, response: ServerResponse): void {
    const port = portOf(socket);
    this.#answered.set(port, (this.#answered.get(port) ?? 0) + 1);
    response.once('close', () => {
      const left = (this.#answered.get(port) ?? 1) - 1;
      if (left > 0) this.#answered.set(port, left);
      else this.#answered.delete(port);
    });
  }

  #dispensable(newest: Socket): Socket | undefined {
    const [most = new Set<Socket>()] = [...this.#of.values()].toSorted((a, b) => b.size - a.size);
    const others = [...most].filter((one) => one !== newest && !one.destroyed);
    return others.find((one) => !this.#answered.has(portOf(one))) ?? others[0] ?? newest;
  }
}

/** Identifies a connection. With TLS, requests arrive on another socket object than the one that was opened. */
const portOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
