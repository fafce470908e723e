// Stands in front of a service, writes down what changes something, and does to one request what a bad day does to it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { asks, called, executed, Retired, signalled, type Called, type Entry } from './ledger.ts';
import { commandIn, cross } from './upgrades.ts';
import { portOf } from '../../support/port.ts';

/** What may happen to a request that changes something, and the program lives on. */
export const troubles = [
  'lost', // it has its effect, and the connection breaks
  'refused', // it has no effect: 500
  'throttled', // it has no effect: 429
  'had its effect and failed', // it has its effect, and the reply is a 500
  'half done', // the provider makes its disk, the service fails to note it: 500
  'garbled', // it has its effect, and the reply is cut short
  'late', // the connection breaks, and it has its effect a little later
  'doubled', // it arrives twice
  'slow', // the reply takes long
] as const;
export type Trouble = (typeof troubles)[number];

/** The service kills the program: amid the effect, or after it and before the reply. */
export type Kill = 'killed half way' | 'killed before the reply';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A request on its way. */
export interface Passing {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ProxyOptions {
  /** `http://127.0.0.1:<port>` */
  readonly target: string;
  /** Ends the program under test, as SIGKILL does. */
  readonly kill: () => void;
}

export type Forward = (passing: Passing, signal?: AbortSignal) => Promise<Answer>;

const lateMs = 250;
const slowMs = 2_500;

export class Proxy {
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #pool: Pool;
  readonly #late = new Set<Promise<unknown>>();
  readonly #retired = new Retired();
  readonly #upgraded = new Set<Duplex>();
  #seen = 0;
  /** Of requests that change something, in the order in which they came. */
  readonly ledger: Entry[] = [];
  /** What happens to the n-th request (from 1) that changes something, counted from the last `arm`. */
  #trouble: (n: number) => Trouble | Kill | undefined = () => undefined;
  /** Answers a request that only reads in the service's place; `undefined`: the service answers. */
  read: (passing: Passing, forward: Forward, signal: AbortSignal) => Promise<Answer | undefined> = () =>
    Promise.resolve(undefined);
  /** Answers a request that changes something, in the service's place; what it does to others is its own business. */
  write: (passing: Passing, forward: Forward) => Promise<Answer | undefined> = () =>
    Promise.resolve(undefined);

  /** Answers in the service's place who asks for the event stream. */
  listen: ((response: ServerResponse) => void) | undefined;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#pool = new Pool(options.target, { connections: 64 });
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server.on('upgrade', (request, client, head) => this.#execute(request, client, head));
    this.#server.keepAliveTimeout = 0; // a connection closed while idle races with the client's next request
  }

  static async open(options: ProxyOptions): Promise<Proxy> {
    const proxy = new Proxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  /** What is asked for. */
  called({ method, url, body }: Passing): Called {
    return signalled(this.#retired.named(called(method, url), body), body);
  }

  /** From now on. */
  arm(trouble: (n: number) => Trouble | Kill | undefined): void {
    this.#seen = 0;
    this.#trouble = trouble;
  }

  /** Resolves when what was late has arrived. */
  async quiet(): Promise<void> {
    await Promise.all(this.#late);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const client of this.#upgraded) client.destroy();
    await this.quiet();
    await this.#pool.destroy();
  }

  forward: Forward = async ({ method, url, headers, body }, signal) => {
    const reply = await this.#pool.request({
      method,
      path: url,
      headers,
      body: body.length === 0 ? null : body,
      ...(signal && { signal }),
    });
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: Buffer.from(await reply.body.arrayBuffer()),
    };
  };

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const passing = await passingOf(request);
    if (passing.url.startsWith('/v1/event/stream')) return this.#stream(passing, response, gone.signal);
    if (asks(passing.method, passing.url)) {
      const answer = await this.read(passing, this.forward, gone.signal);
      send(response, answer ?? (await this.forward(passing, gone.signal)));
      return;
    }
    const trouble = this.#trouble(++this.#seen);
    const answer = await this.#change(passing, trouble);
    if (answer === 'broken') request.socket.destroy();
    else send(response, answer);
  }

  /** A command in a task. */
  #execute(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const { allocation = '', command = '' } = commandIn(request.url ?? '') ?? {};
    const one = executed(allocation, command);
    this.#upgraded.add(client);
    client.once('close', () => this.#upgraded.delete(client));
    cross(request, client, head, {
      ...this.#options,
      trouble: this.#trouble(++this.#seen),
      note: (status) => this.ledger.push({ ...one, status, injected: false, atMs: Date.now() }),
    });
  }

  /** An answer that goes on, handed on as it comes. */
  async #stream(
    { method, url, headers }: Passing,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.listen) return this.listen(response);
    const reply = await this.#pool.request({ method, path: url, headers, signal, bodyTimeout: 0 });
    response.writeHead(reply.statusCode, reply.headers);
    await pipeline(reply.body, response);
  }

  async #change(passing: Passing, trouble: Trouble | Kill | undefined): Promise<Answer | 'broken'> {
    switch (trouble) {
      case undefined:
        return this.#passed(passing);
      case 'killed before the reply':
        await this.#passed(passing);
        this.#options.kill();
        return 'broken';
      case 'killed half way':
        await this.#half(passing);
        this.#options.kill();
        return 'broken';
      case 'half done':
        await this.#half(passing);
        return failure(500);
      case 'lost':
        await this.#passed(passing);
        return 'broken';
      case 'refused':
        return this.#held(passing, 500);
      case 'throttled':
        return this.#held(passing, 429);
      case 'had its effect and failed':
        await this.#passed(passing);
        return failure(500);
      case 'garbled': {
        const { status, headers } = await this.#passed(passing);
        return {
          status,
          headers: { ...headers, 'content-type': 'application/json' },
          body: Buffer.from('{"a'),
        };
      }
      case 'late':
        this.#later(passing);
        return 'broken';
      case 'doubled': {
        const first = await this.#passed(passing);
        await this.#passed(passing, true);
        return first;
      }
      case 'slow': {
        const answer = await this.#passed(passing);
        await pause(slowMs);
        return answer;
      }
    }
  }

  async #passed(passing: Passing, injected = false): Promise<Answer> {
    const answer = (await this.write(passing, this.forward)) ?? (await this.forward(passing));
    this.ledger.push({ ...this.called(passing), status: answer.status, injected, atMs: Date.now() });
    return answer;
  }

  /** Creating is not one step: the provider's disk and its registration are two (services.md#register-and-create). */
  async #half(passing: Passing): Promise<void> {
    const [path = '', query = ''] = passing.url.split('?', 2);
    await this.forward(passing);
    const registration = `${path.replace(/\/create$/, '')}?${query}`;
    await this.forward({ ...passing, method: 'DELETE', url: registration, body: Buffer.alloc(0) });
    this.ledger.push({ ...this.called(passing), status: 'half', injected: false, atMs: Date.now() });
  }

  #held(passing: Passing, status: number): Answer {
    this.ledger.push({ ...this.called(passing), status: 'held', injected: false, atMs: Date.now() });
    return failure(status);
  }

  #later(passing: Passing): void {
    const late = pause(lateMs).then(() => this.#passed(passing));
    this.#late.add(late);
    void late.finally(() => this.#late.delete(late));
  }
}

export const failure = (status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/plain', ...(status === 429 && { 'retry-after': '1' }) },
  body: Buffer.from('a bad day'),
});

async function passingOf(request: IncomingMessage): Promise<Passing> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    ['connection', 'host', 'content-length', 'transfer-encoding'].includes(name) || value === undefined
      ? []
      : [[name, String(value)]],
  );
  const { method = '', url = '' } = request;
  return { method, url, headers: Object.fromEntries(headers), body: Buffer.concat(chunks) };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const kept = Object.entries(headers).filter(
    ([name, value]) =>
      value !== undefined &&
      !['connection', 'keep-alive', 'content-length', 'transfer-encoding'].includes(name),
  );
  response.writeHead(status, { ...Object.fromEntries(kept), 'content-length': body.length });
  response.end(body);
}
