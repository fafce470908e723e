// What stands between a client and a server, and can fall silent: connections stay open, and nothing passes.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { portOf } from '../../support/port.ts';

export class Proxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isSilent = false;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      for (const socket of pair) {
        socket
          .on('error', () => {})
          .on('close', () => {
            for (const end of pair) end.destroy();
            this.#pairs.delete(pair);
          });
      }
      if (!this.#isSilent) join(pair);
    });
  }

  static async to(url: string): Promise<Proxy> {
    const proxy = new Proxy(Number(new URL(url).port));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${portOf(this.#server)}`;
  }

  silence(): void {
    this.#isSilent = true;
    for (const socket of [...this.#pairs].flat()) socket.unpipe().pause();
  }

  /** What was held up arrives. */
  resume(): void {
    this.#isSilent = false;
    for (const pair of this.#pairs) join(pair);
  }

  /** What was held up never arrives. */
  cut(): void {
    this.#isSilent = false;
    for (const [near] of this.#pairs) near.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

function join([near, far]: readonly [Socket, Socket]): void {
  near.pipe(far);
  far.pipe(near);
}
