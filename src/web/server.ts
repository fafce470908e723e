// The status page, health and metrics on one port: read-only, bounded, and of no use to a page of another origin.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock, WallClock } from '../core/clock.ts';
import { isLoopback, namesLoopback } from '../core/host.ts';
import type { View } from '../core/view.ts';
import { loadAssets } from './assets.ts';
import { Board } from './pages/board.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { Events } from './events.ts';
import { pageHeaders, text, type Answer } from './answer.ts';
import type { Scene } from './pages/objects.ts';
import { route, type Site } from './route.ts';

export interface WebOptions {
  readonly view: View;
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
  /** Default: 127.0.0.1. Bound to anything but loopback, whoever reaches the port may read. */
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
  readonly clock: Clock & WallClock;
  /** Everything is listed, and it may act. */
  readonly ready: () => boolean;
  /** It makes progress; `false` asks to be restarted. */
  readonly alive: () => boolean;
  /** Browsers that listen at a time. Default 64. */
  readonly readersMax?: number;
  /** Told of what should not happen; the browser gets a 500 that says no more. */
  readonly onBug?: (error: unknown) => void;
}

export interface RunningWeb {
  /** `http://127.0.0.1:8081`, without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

const readersMax = 64;
const connectionsMax = 256;
const headersMax = { count: 64, bytes: 16_384 } as const;
/** Who has not sent a request whole by then is let go, and that is looked at every so often. */
const requestMaxMs = 5_000;
const lookMs = 1_000;

/** Listens until it is stopped. @throws when the port is taken. */
export async function startWeb(options: WebOptions): Promise<RunningWeb> {
  const { view, clock, metrics, ready, alive, host = '127.0.0.1', port } = options;
  const board: Board = new Board(view, {
    changed: (key) => events.changed(key),
    moved: (move) => events.moved(move),
  });
  const scene = (): Scene => ({ view, board, wallMs: clock.wallMs(), ready: ready() });
  const events = new Events(board, {
    clock,
    scene,
    readersMax: options.readersMax ?? readersMax,
    onBug: options.onBug,
  });
  const site: Site = { assets: loadAssets(), board, events, scene, metrics, ready, alive };
  const local = isLoopback(host);
  const server = createServer(
    {
      maxHeaderSize: headersMax.bytes,
      headersTimeout: requestMaxMs,
      requestTimeout: requestMaxMs,
      connectionsCheckingInterval: lookMs,
    },
    (request, response) => {
      respond(site, local, request, response).catch((error: unknown) => {
        options.onBug?.(error);
        if (response.headersSent) response.destroy();
        else send(response, text(500, 'Something went wrong here; the log says what.'));
      });
    },
  );
  new ConnectionLimit(connectionsMax).guard(server);
  server.maxHeadersCount = headersMax.count;
  return {
    url: await listening(server, host, port),
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
    server.listen(port, host, resolve);
  });
  server.on('error', () => {}); // a connection that was not accepted: its client hears of it
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

async function respond(
  site: Site,
  local: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (local && !namesLoopback(request.headers.host)) {
    // Another site's name that was made to resolve to this machine: its page must not read ours.
    return send(response, text(421, 'This is reached as localhost, 127.0.0.1 or [::1].'));
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return send(response, { ...text(405, 'Read-only: GET and HEAD.'), allow: 'GET, HEAD' });
  }
  const answer = await route(site, request, response);
  if (answer) send(response, answer);
}

/** The body of an answer to HEAD is left out by node:http. */
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
