// What stands between a client and a server, and can fall silent: connections stay open, and nothing passes.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { portOf } from '../../support/port.ts';

export class Proxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isSilent = false;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      }
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      near.pipe(far);
      far.pipe(near);
      if (this.#isSilent) this.#pause();
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
    this.#pause();
  }

  /** Nothing of what was held up arrives any more: its connections are cut. */
  cut(): void {
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #pause(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }
}
