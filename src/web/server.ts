// Serves the status page, health and metrics on one port: read-only, bounded, and not readable by pages of other origins.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Clock, WallClock } from '../core/time/clock.ts';
import { isLoopback, namesLoopback } from '../core/text/host.ts';
import type { UnmanagedView, View } from '../core/status/view.ts';
import { loadAssets } from './assets.ts';
import type { Authorize } from './authorize.ts';
import { readCertificate, renewCertificate, type TlsFiles } from './certificate.ts';
import { Board } from './pages/board.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { Events } from './events.ts';
import { pageHeaders, text, type Answer } from './answer.ts';
import type { Scene } from './pages/scene.ts';
import { route, type Site } from './route.ts';

export interface WebOptions {
  readonly view: View;
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
  /** What nobody declares; asked when somebody looks. Never rejects. Absent: nothing is known of that. */
  readonly unmanaged?: () => Promise<UnmanagedView>;
  /** Default: 127.0.0.1. `::`: every address, of IPv4 too. */
  readonly host?: string;
  /** Authorizes clients where other machines can reach the port. Absent: every client may read. */
  readonly authorize?: Authorize | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles | undefined;
  /** 0: any free port. */
  readonly port: number;
  readonly clock: Clock & WallClock;
  /** Whether everything is listed, and the operator may act. */
  readonly ready: () => boolean;
  /** Whether the operator makes progress; `false` asks for a restart. */
  readonly alive: () => boolean;
  /** The most browsers that listen at a time. Default: 64. */
  readonly readersMax?: number;
  /** Called with each unexpected error; the browser gets a plain 500. */
  readonly onBug?: (error: unknown) => void;
}

export interface RunningWeb {
  /** `http://127.0.0.1:8081`, without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

const readersMax = 64;
const connectionsMax = 256;
const headersMax = { count: 64, bytes: 16_384 } as const;
/** A client that takes longer to complete a request is disconnected. `lookMs`: how often that is checked. */
const requestMaxMs = 5_000;
const lookMs = 1_000;
/** How long a verdict of `authorize` is valid for a stream. */
const authorizedMs = 60_000;

const patience = {
  maxHeaderSize: headersMax.bytes,
  headersTimeout: requestMaxMs,
  requestTimeout: requestMaxMs,
  connectionsCheckingInterval: lookMs,
};

function tlsServer(files: TlsFiles, { nowMs }: Clock, answer: RequestListener): Server {
  const server = createTlsServer(
    { ...patience, ...readCertificate(files), handshakeTimeout: requestMaxMs },
    answer,
  );
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  renewCertificate(server, files, nowMs);
  return server;
}

/** Listens until it is stopped. @throws if the port is taken, or the certificate can't be used */
export async function startWeb(options: WebOptions): Promise<RunningWeb> {
  const { view, clock, metrics, ready, alive, host = '127.0.0.1', port, tls } = options;
  const local = isLoopback(host);
  const authorize = local ? undefined : options.authorize;
  const board: Board = new Board(view, {
    changed: (key) => events.changed(key),
    moved: (move) => events.moved(move),
  });
  const scene = (): Scene => ({ view, board, wallMs: clock.wallMs(), ready: ready() });
  const events = new Events(board, {
    clock,
    scene,
    streamMaxMs: authorize ? authorizedMs : Infinity,
    readersMax: options.readersMax ?? readersMax,
    onBug: options.onBug,
  });
  const nothing = async (): Promise<UnmanagedView> => ({
    items: [],
    total: 0,
    failed: [],
    atMs: clock.wallMs(),
  });
  const { unmanaged = nothing } = options;
  const site: Site = {
    assets: loadAssets(),
    board,
    events,
    scene,
    metrics,
    unmanaged,
    ready,
    alive,
    authorize,
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    respond(site, local, request, response).catch((error: unknown) => {
      options.onBug?.(error);
      if (response.headersSent) response.destroy();
      else send(response, text(500, 'Internal error; see the log.'));
    });
  };
  const server = tls ? tlsServer(tls, clock, answer) : createServer(patience, answer);
  new ConnectionLimit(connectionsMax).guard(server);
  server.maxHeadersCount = headersMax.count;
  return {
    url: `${tls ? 'https' : 'http'}://${await listening(server, host, port)}`,
    stop: () =>
      new Promise((resolve) => {
        board.stop();
        events.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listening(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Without a host, Node listens on every address, even where there is no IPv6.
    if (host === '::') server.listen(port, resolve);
    else server.listen(port, host, resolve);
  });
  server.on('error', () => {}); // a connection could not be accepted; its client gets the error
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return `${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

async function respond(
  site: Site,
  local: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (local && !namesLoopback(request.headers.host)) {
    // Another site's name may resolve to this machine (DNS rebinding), and its pages must not read ours.
    return send(response, text(421, 'Use localhost, 127.0.0.1 or [::1] as the host name.'));
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return send(response, { ...text(405, 'Read-only: GET and HEAD.'), allow: 'GET, HEAD' });
  }
  const answer = await route(site, request, response);
  if (answer) send(response, answer);
}

/** node:http omits the body for HEAD. */
function send(response: ServerResponse, { status, type, body, allow, headers = {} }: Answer): void {
  const length = body === '' && status === 304 ? {} : { 'Content-Length': Buffer.byteLength(body) };
  response
    .writeHead(status, {
      ...pageHeaders,
      'Content-Type': type,
      ...length,
      ...(allow !== undefined && { Allow: allow }),
      ...headers,
    })
    .end(body);
}
