// WebSockets of an embedded service: which requests are upgraded, and the limits of connections.
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { Fault, RequestInfo, RequestLog } from './request-counts.ts';
import { Router, type Routed } from './router.ts';
import type { RequestFilter } from './request-filter.ts';

/** Requested by GET with the header `Upgrade: websocket`. A plain GET goes to the endpoint of the same path. */
export interface Upgrade extends Routed {
  /** If false, the request is answered as a plain GET. Default: true. */
  takes?(query: URLSearchParams): boolean;
  /** Owns the channel and closes it. An error it throws is a bug. */
  open(call: UpgradeCall): Promise<void>;
}

export interface UpgradeOptions {
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly upgrades?: readonly Upgrade[];
  readonly onRequest?: (info: RequestInfo) => Fault;
  readonly latencyMs?: number;
  /** Receives each unexpected error. The client gets a 500, or the close code 1011. */
  readonly onBug?: (error: unknown) => void;
}

export interface UpgradeCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly channel: Channel;
}

const frameBytesMax = 1024 * 1024;
const framesMax = 16;
const sessionsMax = 64;
/** A client that does not read a frame for this long is disconnected. */
const stallMs = 60_000;
/** How often a paused socket is pinged, to notice that the client is gone. */
const knockMs = 10_000;
/** The longest reason that fits into a close frame. */
export const reasonBytesMax = 123;

/** The client has disconnected. */
export class Gone extends Error {
  override readonly name = 'Gone';
}

/** A WebSocket. `next` returns one frame at a time; `send` resolves once its frame is written. */
export class Channel {
  readonly #socket: WebSocket;
  readonly #raw: Duplex;
  readonly #clock: Clock;
  readonly #mute: boolean;
  readonly #frames: string[] = [];
  readonly #gone = new AbortController();
  #waiting: (() => void) | undefined;
  #stopKnocking = () => {};

  /** @param mute drops each frame that is sent */
  constructor(socket: WebSocket, raw: Duplex, clock: Clock, mute: boolean) {
    this.#socket = socket;
    this.#raw = raw;
    this.#clock = clock;
    this.#mute = mute;
    socket.on('message', (data: RawData) => this.#take(textOf(data)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      this.#stopKnocking();
      this.#gone.abort(new Gone());
      this.#waiting?.();
    });
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  #take(text: string): void {
    this.#frames.push(text);
    if (this.#frames.length >= framesMax && !this.#socket.isPaused) {
      this.#socket.pause();
      this.#knock();
    }
    this.#waiting?.();
  }

  #knock(): void {
    this.#stopKnocking = this.#clock.after(knockMs, () => {
      this.#socket.ping();
      this.#knock();
    });
  }

  async next(): Promise<string> {
    while (this.#frames.length === 0) {
      this.#gone.signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    const frame = this.#frames.shift() ?? '';
    if (this.#socket.isPaused) {
      this.#stopKnocking();
      this.#socket.resume();
    }
    return frame;
  }

  async send(value: object): Promise<void> {
    this.#gone.signal.throwIfAborted();
    if (this.#mute) return;
    const cancel = this.#clock.after(stallMs, () => this.#socket.terminate());
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(JSON.stringify(value), (error) => (error ? reject(new Gone()) : resolve()));
    }).finally(cancel);
  }

  close(code: number, reason: string): void {
    if (this.#mute) return this.#socket.terminate();
    const cut = Buffer.from(reason).subarray(0, reasonBytesMax);
    return this.#socket.close(code, cut.toString().replace(/\uFFFD$/, ''));
  }

  /** Ends the connection without a close frame, after all sent frames. */
  end(): void {
    if (this.#mute) this.#socket.terminate();
    else this.#raw.end();
  }
}

/** By default, ws passes messages as buffers. */
const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString() : '');

/** Options for the HTTP server. A request for any other upgrade is answered as a plain request. */
export const upgrading = ({ upgrades = [] }: UpgradeOptions) => {
  const router = new Router(upgrades);
  return {
    shouldUpgradeCallback: (request: IncomingMessage) =>
      /^websocket$/i.test(request.headers.upgrade ?? '') && found(router, request) !== undefined,
  };
};

const queryOf = ({ url = '' }: IncomingMessage): URLSearchParams =>
  new URLSearchParams(url.split('?').slice(1).join('?'));

function found(router: Router<Upgrade>, request: IncomingMessage) {
  const { method = '', url = '' } = request;
  const match = router.find(method, url.split('?', 1)[0] ?? '');
  return match.is === 'found' && match.route.takes?.(queryOf(request)) !== false ? match : undefined;
}

/** @returns a function that cuts all WebSocket connections */
export function takeUpgrades(server: Server, options: UpgradeOptions, filter: RequestFilter): () => void {
  const { upgrades = [], clock, log, onBug } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: frameBytesMax });
  const router = new Router(upgrades);
  let isCut = false;
  server.on('upgrade', (request, raw: Duplex, head) => {
    raw.on('error', () => raw.destroy());
    const denial = filter.denialOf(request);
    if (denial) return refuse(raw, denial.status === 421 ? '421 Misdirected Request' : '403 Forbidden');
    const match = found(router, request);
    if (!match) return refuse(raw, '404 Not Found');
    if (sockets.clients.size >= sessionsMax) return refuse(raw, '429 Too Many Requests');
    const { method, path: pattern } = match.route;
    const path = (request.url ?? '').split('?', 1)[0] ?? ''; // the query holds the command
    const n = log.count(`${method} ${pattern}`);
    const fault = options.onRequest?.({ method, pattern, n }) ?? 'none';
    log.add({ method, path, status: fault === 'none' ? 101 : 'dropped' });
    if (fault === 'drop-before') return raw.destroy();
    const open = () => {
      if (isCut) return raw.destroy();
      return sockets.handleUpgrade(request, raw, head, (socket) => {
        const channel = new Channel(socket, raw, clock, fault === 'drop-after');
        const { headers } = request;
        match.route
          .open({ params: match.params, query: queryOf(request), headers, channel })
          .catch((error: unknown) => {
            onBug?.(error);
            channel.close(1011, 'internal error');
          });
      });
    };
    if (options.latencyMs) clock.after(options.latencyMs, open);
    else open();
    return undefined;
  });
  return () => {
    isCut = true;
    for (const socket of sockets.clients) socket.terminate();
  };
}

const refuse = (raw: Duplex, status: string): unknown =>
  raw.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
