// What stands between a client and the API server, and does to each request what a test says. To the client it speaks plain
// HTTP unless it has to have TLS, as the program itself has; to the API server TLS.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { portOf } from '../../support/port.ts';
import type { Cluster } from './cluster.ts';

/** after: so many events of a watch pass before. */
export type Fault =
  /** The API server is not asked. */
  | {
      readonly is: 'refused';
      readonly status: number;
      readonly retryAfter?: number;
      readonly body?: unknown;
    }
  | { readonly is: 'unanswered' }
  | { readonly is: 'dropped' }
  /** It is asked, and does it, and the answer is lost. */
  | { readonly is: 'lost' }
  | { readonly is: 'delayed'; readonly ms: number }
  /** It is asked, and the answer comes when that is over. */
  | { readonly is: 'late'; readonly until: Promise<void> }
  /** Connections stay open, and nothing passes. */
  | { readonly is: 'silent'; readonly after: number }
  /** Ends in the middle of a line. */
  | { readonly is: 'cut'; readonly after: number }
  | { readonly is: 'corrupt'; readonly after: number }
  | { readonly is: 'error'; readonly after: number; readonly code: number }
  | { readonly is: 'twice' }
  /** The first list of that path is sent again, and then nothing. */
  | { readonly is: 'older' }
  /** As the API server ends it. */
  | { readonly is: 'ended'; readonly after: number };

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  /** A watch that begins with the list. */
  readonly isList: boolean;
}

const newline = 0x0a;
const listEnd = '"k8s.io/initial-events-end":"true"';

export class FaultProxy {
  /** What is done to a request; `undefined`: it passes. */
  fault: (seen: Seen) => Fault | undefined = () => undefined;
  /** The API server ends watches after so long. */
  watchSeconds: number | undefined;
  readonly seen: Seen[] = [];
  /** How many connections were ever made. */
  connections = 0;
  /** How many requests had each fault. */
  readonly faults = new Map<Fault['is'], number>();
  /** Answers of the API server that were held back. */
  held = 0;
  /** Answers that have begun and have not ended. */
  open = 0;
  readonly #cluster: Cluster;
  readonly #agent: Agent;
  readonly #scheme: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** By path: a list, line by line. */
  readonly #lists = new Map<string, Buffer[]>();

  private constructor(cluster: Cluster, tls: boolean) {
    this.#cluster = cluster;
    this.#agent = new Agent({ connect: { ca: cluster.ca }, bodyTimeout: 0, headersTimeout: 0 });
    const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
      this.#serve(incoming, response).catch(() => incoming.socket.destroy());
    };
    this.#scheme = tls ? 'https' : 'http';
    this.#server = tls ? createTlsServer(cluster.identity, serve) : createServer(serve);
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async to(cluster: Cluster, { tls = false } = {}): Promise<FaultProxy> {
    const proxy = new FaultProxy(cluster, tls);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${portOf(this.#server)}`;
  }

  /** Requests of watches of that resource so far. */
  watchesOf(plural: string): readonly Seen[] {
    return this.seen.filter(({ path, isWatch }) => isWatch && path.endsWith(`/${plural}`));
  }

  /** What was listed before is not sent again. */
  forget(): void {
    this.#lists.clear();
  }

  /** Ends every connection, as a restart of a load balancer does. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await this.#agent.destroy();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', socket } = incoming;
    const { pathname: path, searchParams: query } = new URL(url, this.url);
    const isWatch = query.get('watch') === 'true';
    const seen = { method, path, query, isWatch, isList: isWatch && query.has('sendInitialEvents') };
    if (isWatch && this.watchSeconds !== undefined) query.set('timeoutSeconds', String(this.watchSeconds));
    this.seen.push(seen);
    const body = await bytesOf(incoming);
    const fault = this.fault(seen);
    if (fault) this.faults.set(fault.is, (this.faults.get(fault.is) ?? 0) + 1);
    if (fault?.is === 'unanswered') return;
    if (fault?.is === 'dropped') return void socket.destroy();
    if (fault?.is === 'refused') return refuse(response, fault);
    if (fault?.is === 'older' && this.#replay(seen, response)) return;
    if (fault?.is === 'delayed') await pause(fault.ms, undefined, { ref: false });
    await this.#pass(incoming, seen, body, response, fault);
  }

  async #pass(
    { headers, socket }: IncomingMessage,
    seen: Seen,
    body: Buffer,
    response: ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    const { host: _, connection: __, 'transfer-encoding': ___, ...sent } = headers;
    const ending = new AbortController();
    response.on('close', () => ending.abort());
    this.open += 1;
    try {
      const answer = await request(`${this.#cluster.url}${seen.path}?${seen.query.toString()}`, {
        method: seen.method,
        headers: sent,
        body: body.length === 0 ? null : body,
        dispatcher: this.#agent,
        signal: ending.signal,
      });
      if (fault?.is === 'lost') {
        await answer.body.dump();
        return void socket.destroy();
      }
      if (fault?.is === 'late') {
        this.held += 1;
        await fault.until;
      }
      const { 'transfer-encoding': ____, ...given } = answer.headers;
      response.writeHead(answer.statusCode, given).flushHeaders();
      if (seen.isWatch && answer.statusCode === 200) await this.#stream(seen, answer.body, response, fault);
      else response.end(spoilt(Buffer.from(await answer.body.arrayBuffer()), fault));
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    } finally {
      this.open -= 1;
    }
  }

  async #stream(
    { path, isList }: Seen,
    events: AsyncIterable<Buffer>,
    response: ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    const list: Buffer[] | undefined = isList && !this.#lists.has(path) ? [] : undefined;
    let passed = 0;
    for await (const line of linesOf(events)) {
      list?.push(line);
      if (list && line.includes(listEnd) && !this.#lists.has(path)) this.#lists.set(path, list);
      if (fault && 'after' in fault && passed >= fault.after) {
        if (fault.is === 'silent') continue;
        response.write(instead(line, fault));
        if (fault.is === 'cut') return response.socket?.destroySoon();
        if (fault.is === 'ended') break;
      } else response.write(fault?.is === 'twice' ? Buffer.concat([line, line]) : line);
      passed += 1;
    }
    response.end();
  }

  #replay({ path, isList }: Seen, response: ServerResponse): boolean {
    const list = isList ? this.#lists.get(path) : undefined;
    if (!list) return false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(Buffer.concat(list));
    return true;
  }
}

function refuse(
  response: ServerResponse,
  { status, retryAfter, body }: Extract<Fault, { readonly is: 'refused' }>,
): void {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify(body ?? { kind: 'Status', code: status }));
}

const spoilt = (body: Buffer, fault: Fault | undefined): Buffer =>
  fault?.is === 'corrupt' ? body.subarray(0, Math.floor(body.length / 2)) : body;

function instead(line: Buffer, fault: Fault): Buffer {
  if (fault.is === 'cut') return line.subarray(0, Math.floor(line.length / 2));
  if (fault.is === 'ended') return Buffer.alloc(0);
  if (fault.is === 'error') {
    const object = { kind: 'Status', code: fault.code };
    return Buffer.from(`${JSON.stringify({ type: 'ERROR', object })}\n`);
  }
  return Buffer.concat([line.subarray(0, Math.floor(line.length / 2)), Buffer.from('\n')]);
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Each with its newline. */
async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun = Buffer.alloc(0);
  for await (const chunk of stream) {
    begun = Buffer.concat([begun, chunk]);
    for (let end = begun.indexOf(newline); end >= 0; end = begun.indexOf(newline)) {
      yield begun.subarray(0, end + 1);
      begun = begun.subarray(end + 1);
    }
  }
}
