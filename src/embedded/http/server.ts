// The HTTP server of an embedded service: bodies, replies, compression and faults. The endpoints are passed in.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { gzip } from 'node:zlib';
import { messageOf } from '../../core/errors.ts';
import type { Clock } from '../clock.ts';
import { ConnectionLimit, portOf } from './connection-limit.ts';
import { takeList } from './list-verb.ts';
import type { Match, Routed, Routing } from './router.ts';
import { StorageError } from '../../core/errors.ts';
import { takesGzip } from './gzip.ts';
import { openStream, type StreamBody } from './stream.ts';
import { RequestFilter } from './request-filter.ts';
import { takeUpgrades, upgrading, type UpgradeOptions } from './upgrade.ts';

/** The error reply to a request. Its message is sent to the client, so it must not hold a secret. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly json: unknown } | { readonly text: string } | StreamBody;
}

export const json = (value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 200,
  headers,
  body: { json: value },
});

export const empty = (headers: Readonly<Record<string, string>> = {}): Reply => ({ status: 200, headers });

/** Unlike a refusal, this 404 can carry headers. */
export const absent = (text: string): Reply => ({ status: 404, body: { text } });

export interface Endpoint extends Routed {
  /** The permission that the token needs, in the service's own terms; `none`: no token is needed. */
  readonly acl: string;
  handle(request: Incoming): Reply | Promise<Reply>;
}

export interface ServiceOptions extends UpgradeOptions {
  readonly router: Routing<Endpoint>;
  authorize(headers: IncomingHttpHeaders, acl: string, request: Incoming): void;
  refuse(status: number, message: string): Reply;
  /** Accepts the verb LIST as well. */
  readonly takesList?: true;
  readonly bodyBytesMax?: number;
  /** If set, `pretty` indents whatever its value; otherwise `pretty=0` does not. */
  readonly prettyWhatever?: boolean;
  /** Connections allowed per client; 0: no limit. */
  readonly connectionsMax?: () => number;
  /** A Unix socket to listen on as well. Default: none. */
  readonly socketPath?: string;
}

const bodyBytesMaxDefault = 4 * 1024 * 1024;

/** The part of a request that handlers use, from a connection or in process. */
export type Asked = Pick<IncomingMessage, 'url' | 'headers'>;

export interface Client {
  readonly closed: boolean;
  once(event: 'close', run: () => void): unknown;
}

export class Incoming {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly #body: string;
  readonly #client: Client;

  constructor(request: Asked, client: Client, params: Readonly<Record<string, string>>, body: string) {
    this.params = params;
    this.query = new URLSearchParams(queryOf(request.url ?? ''));
    this.headers = request.headers;
    this.#body = body;
    this.#client = client;
  }

  get hasBody(): boolean {
    return this.#body !== '';
  }

  /** @throws Refusal 400 if the body is empty or not JSON; it hides the parser's message, which quotes the body. */
  json(): unknown {
    if (this.#body === '') throw new Refusal(400, 'Request body is empty');
    try {
      return JSON.parse(this.#body);
    } catch {
      throw new Refusal(400, 'invalid JSON in the request body');
    }
  }

  /** Calls `run` when the connection closes, or once the reply is sent. */
  onGone(run: () => void): void {
    if (this.#client.closed) run();
    else this.#client.once('close', run);
  }
}

const queryOf = (url: string): string => {
  const cut = url.indexOf('?');
  return cut < 0 ? '' : url.slice(cut + 1);
};

export interface RunningService {
  /** `http://127.0.0.1:4646`, without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Listens until the service is stopped. @throws if the port is taken */
export async function serve(options: ServiceOptions, host: string, port: number): Promise<RunningService> {
  const limit = new ConnectionLimit(options.connectionsMax ?? (() => 0));
  const filter: RequestFilter = new RequestFilter(host, () => portOf(server));
  const server: Server = createServer(upgrading(options), (request, response) => {
    if (limit.hasRefused(request.socket)) return;
    if (filter.denies(request, response)) return;
    answer(options, request, response).catch(() => response.destroy());
  });
  limit.guard(server);
  if (options.takesList) takeList(server);
  const cutUpgrades = takeUpgrades(server, options, filter);
  server.keepAliveTimeout = 0; // closing an idle connection races with the client's next request
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  server.on('error', () => {}); // a connection that was not accepted; its client sees the error
  const { socketPath } = options;
  const leave = socketPath === undefined ? () => {} : await filter.listenAt(socketPath, server);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        leave();
        server.closeAllConnections();
        cutUpgrades();
      }),
  };
}

async function answer(
  options: ServiceOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = request;
  const match = options.router.find(method, url.split('?', 1)[0] ?? '', request.headers);
  const pattern = match.is === 'found' ? match.route.path : '';
  const ofApi = !pattern.startsWith('/setup/'); // setup requests are not counted and get no faults
  const seen = (status: number | 'dropped') => {
    if (ofApi) options.log.add({ method, path: url, status });
  };
  const n = ofApi ? options.log.count(`${method} ${pattern}`) : 0;
  const fault = (ofApi && options.onRequest?.({ method, pattern, n })) || 'none';
  if (fault === 'drop-before') {
    seen('dropped');
    request.socket.destroy();
    return;
  }
  const { bodyBytesMax = bodyBytesMaxDefault } = options;
  const body = await bodyOf(request, bodyBytesMax);
  if (body === 'cut') return seen('dropped');
  let reply = handle(options, match, request, response, body);
  if (reply instanceof Promise) reply = await reply.catch((error: unknown) => refused(options, error));
  if (ofApi && options.latencyMs) await pause(options.clock, options.latencyMs);
  seen(fault === 'drop-after' ? 'dropped' : reply.status);
  if (fault === 'drop-after') request.socket.destroy();
  else send(options, request, response, reply);
}

export function handle(
  options: ServiceOptions,
  match: Match<Endpoint>,
  request: Asked,
  client: Client,
  body: { readonly text: string } | 'too long',
): Reply | Promise<Reply> {
  try {
    if (match.is === 'malformed') throw new Refusal(400, 'the path is not correctly percent-encoded');
    if (match.is === 'method') throw new Refusal(405, 'Invalid method');
    if (match.is === 'below') throw new Refusal(404, 'resource not found');
    if (match.is === 'unknown') throw new Refusal(404, '');
    const text = body === 'too long' ? '' : body.text;
    const incoming = new Incoming(request, client, match.params, text);
    options.authorize(request.headers, match.route.acl, incoming);
    if (body === 'too long') {
      const max = options.bodyBytesMax ?? bodyBytesMaxDefault;
      throw new Refusal(413, `the request body is longer than ${max} bytes`);
    }
    return match.route.handle(incoming);
  } catch (error) {
    return refused(options, error);
  }
}

export function refused(options: ServiceOptions, error: unknown): Reply {
  if (error instanceof Refusal) return options.refuse(error.status, error.message);
  if (error instanceof StorageError) return options.refuse(500, error.message);
  options.onBug?.(error);
  return options.refuse(500, `internal error: ${messageOf(error)}`);
}

const pause = (clock: Clock, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });

/** Reads a body to its end even if it is too long: the client would lose a reply that is sent earlier. */
function bodyOf(
  request: IncomingMessage,
  bodyBytesMax: number,
): Promise<{ readonly text: string } | 'too long' | 'cut'> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const none = encoding === undefined && (length === undefined || length === '0');
  if (none) return Promise.resolve({ text: '' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
    });
    request.on('end', () =>
      resolve(bytes > bodyBytesMax ? 'too long' : { text: Buffer.concat(chunks).toString() }),
    );
    request.on('close', () => resolve('cut')); // no effect after `end`
  });
}

function send(
  options: ServiceOptions,
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
): void {
  const { body } = reply;
  if (body && 'stream' in body) return openStream(request, response, reply, body);
  const headers: Record<string, string> = { ...reply.headers };
  if (body) headers['Content-Type'] = 'json' in body ? 'application/json' : 'text/plain; charset=utf-8';
  const text =
    body === undefined ? '' : 'text' in body ? body.text : rendered(options, body.json, request.url ?? '');
  if (text === '' || !takesGzip(request.headers['accept-encoding'])) {
    headers['Content-Length'] = String(Buffer.byteLength(text));
    response.writeHead(reply.status, headers).end(text);
    return;
  }
  gzip(text, { level: 1 }, (error, packed) => {
    if (error) return response.destroy(error);
    Object.assign(headers, { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    headers['Content-Length'] = String(packed.length);
    return response.writeHead(reply.status, headers).end(packed);
  });
}

/** Indents if the query has `pretty` (services.md#scheduler-requests). */
export function rendered(
  { prettyWhatever = false }: Pick<ServiceOptions, 'prettyWhatever'>,
  value: unknown,
  url: string,
): string {
  if (!url.includes('pretty')) return JSON.stringify(value);
  const pretty = new URLSearchParams(queryOf(url)).get('pretty');
  return pretty === null || (pretty === '0' && !prettyWhatever)
    ? JSON.stringify(value)
    : `${JSON.stringify(value, null, 4)}\n`;
}
