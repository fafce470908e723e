// Carries a process's requests to services in memory, where sockets would: undici's seam, with nothing of undici below it.
import { Dispatcher } from 'undici';
import type { Client, Reply } from '../../../src/embedded/http/server.ts';
import { textOf } from '../../../src/embedded/http/in-process.ts';
import { later, nowMs, within, type Life } from './time.ts';

type Handler = Dispatcher.DispatchHandler;

/** A request on its way. */
export interface Sent {
  readonly origin: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly life: Life;
  readonly exchange: Exchange;
}

export class Line extends Dispatcher {
  readonly #life: Life;
  readonly #origin: string;
  readonly #carry: (sent: Sent) => void;
  readonly #open = new Set<Exchange>();

  constructor(life: Life, origin: string, carry: (sent: Sent) => void) {
    super();
    this.#life = life;
    this.#origin = origin;
    this.#carry = carry;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
    const exchange = new Exchange(this.#life, handler, () => this.#open.delete(exchange));
    this.#open.add(exchange);
    handler.onRequestStart?.(exchange, {});
    if (exchange.aborted) return true;
    const { method, path, headers, body } = options;
    this.#carry({
      origin: this.#origin,
      method,
      url: path,
      headers: lowered(headers),
      body: typeof body === 'string' ? body : '',
      life: this.#life,
      exchange,
    });
    return true;
  }

  override destroy(): Promise<void> {
    for (const exchange of this.#open) exchange.abort(new Error('the client is destroyed'));
    return Promise.resolve();
  }

  override close = (): Promise<void> => this.destroy();
}

function lowered(headers: Dispatcher.DispatchOptions['headers']): Readonly<Record<string, string>> {
  const entries = Object.entries(headers ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** One request as its sender sees it, and the service as who waits for the answer. */
export class Exchange implements Dispatcher.DispatchController, Client {
  aborted = false;
  readonly paused = false;
  reason: Error | null = null;
  readonly #life: Life;
  readonly #handler: Handler;
  readonly #ended: () => void;
  readonly #onClose: (() => void)[] = [];
  #over = false;

  constructor(life: Life, handler: Handler, ended: () => void) {
    this.#life = life;
    this.#handler = handler;
    this.#ended = ended;
  }

  /** Nobody waits for the answer any more. */
  get closed(): boolean {
    return this.#over || !this.#life.alive;
  }

  once(_: 'close', run: () => void): void {
    this.#onClose.push(run);
  }

  abort(reason: Error): void {
    if (this.#over) return;
    this.aborted = true;
    this.reason = reason;
    this.#tell(() => this.#handler.onResponseError?.(this, reason));
    this.#close();
  }

  pause(): void {}
  resume(): void {}

  /** The connection breaks. @param code as the system says it */
  fail(code: string): void {
    const error = Object.assign(new Error(code), { code });
    if (code === 'ECONNREFUSED') Object.assign(error, { syscall: 'connect' });
    this.#arrives(() => {
      this.#tell(() => this.#handler.onResponseError?.(this, error));
      this.#close();
    });
  }

  /** The whole answer arrives at once. */
  answer(reply: Reply, url: string): void {
    const { body } = reply;
    if (body && 'stream' in body) return this.#goOn(reply);
    this.text(reply.status, textOf(reply, url), reply.headers);
  }

  text(status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
    this.#arrives(() => {
      this.#tell(() => {
        this.#head(status, headers);
        if (text !== '') this.#handler.onResponseData?.(this, Buffer.from(text));
        this.#handler.onResponseEnd?.(this, {});
      });
      this.#close();
    });
  }

  #head(status: number, headers: Readonly<Record<string, string>>): void {
    const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    this.#handler.onResponseStart?.(this, status, Object.fromEntries(names));
  }

  #goOn({ status, headers = {}, body }: Reply): void {
    if (!body || !('stream' in body)) return;
    this.#arrives(() => this.#tell(() => this.#head(status, headers)));
    const comes = (what: () => void): void => later(1, () => this.#arrives(what));
    body.stream({
      send: (text) => {
        comes(() => this.#tell(() => this.#handler.onResponseData?.(this, Buffer.from(text))));
        return true;
      },
      onReady: () => {},
      onGone: (run) => (this.closed ? run() : this.once('close', run)),
      end: (text) =>
        comes(() => {
          this.#tell(() => {
            if (text !== '') this.#handler.onResponseData?.(this, Buffer.from(text));
            this.#handler.onResponseEnd?.(this, {});
          });
          this.#close();
        }),
    });
  }

  /** To who sent it, unless nobody is there any more. */
  #tell(what: () => void): void {
    if (!this.#over && this.#life.alive) within(this.#life, what);
  }

  /** What comes for a process that is stopped is there once it goes on. */
  #arrives(what: () => void): void {
    const leftMs = (this.#life.frozenUntilMs ?? 0) - nowMs();
    if (leftMs > 0) later(leftMs, () => this.#arrives(what));
    else what();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#ended();
    for (const run of this.#onClose.splice(0)) run();
  }

  /** Its sender was killed. */
  drop(): void {
    this.#close();
  }
}
