// The one HTTP transport: bounded, never following redirects, with outcomes that say whether a call may have acted.
import { Pool, errors, type Dispatcher } from 'undici';
import type { EffectInfo } from '../core/effect.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import { reveal, type Secret } from '../core/secret.ts';
import type { EffectGate } from './effect.ts';

export interface TransportOptions {
  /** Origins, tried in turn when one can't be reached. */
  readonly addresses: readonly string[];
  readonly tls?: {
    readonly ca?: Secret;
    readonly certificate?: Secret;
    readonly key?: Secret;
    readonly serverName?: string;
  };
  /** Sockets per address. */
  readonly connections: number;
  readonly gate: EffectGate;
  /** Answers that go on: not bounded in bytes, but given up after so many milliseconds of silence. */
  readonly silenceMs?: number;
}

export interface HttpRequest {
  readonly info: EffectInfo;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** An answer that goes on. */
export interface HttpStream extends Omit<HttpReply, 'text'> {
  /** @throws ApiError where it breaks off or falls silent */
  readonly chunks: AsyncIterable<Buffer>;
}

const bodyBytesMax = 64 * 2 ** 20;
/** The request never left: it can't have acted. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** TLS was not agreed on: nothing of the request was sent. */
const handshake = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|_CERT/;
const atConnecting = (cause: unknown): boolean =>
  cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect';

export class HttpTransport {
  readonly #pools: readonly Pool[];
  readonly #gate: EffectGate;
  #preferred = 0;

  constructor({ addresses, tls, connections, gate, silenceMs }: TransportOptions) {
    this.#gate = gate;
    const connect = {
      timeout: 10_000,
      ...(tls?.ca && { ca: reveal(tls.ca) }),
      ...(tls?.certificate && { cert: reveal(tls.certificate) }),
      ...(tls?.key && { key: reveal(tls.key) }),
      ...(tls?.serverName !== undefined && { servername: tls.serverName }),
    };
    const limits = {
      headersTimeout: 0,
      bodyTimeout: silenceMs ?? 60_000,
      maxHeaderSize: 65_536,
      maxResponseSize: silenceMs === undefined ? bodyBytesMax : -1,
      allowH2: false, // streams would get around the limit on connections
    };
    this.#pools = addresses.map((origin) => new Pool(origin, { connections, connect, ...limits }));
  }

  /** @throws ApiError when there is no whole answer; any status is an answer. */
  request(request: HttpRequest): Promise<HttpReply> {
    return this.#anywhere(request, (at, signal, sending) => this.#send(at, request, signal, sending));
  }

  /** For a transport with `silenceMs`. The deadline is for the head; `signal` ends all of it. @throws ApiError */
  stream(request: HttpRequest): Promise<HttpStream> {
    return this.#anywhere(request, (at, signal, sending) => this.#open(at, request, signal, sending));
  }

  async #anywhere<T>(
    request: HttpRequest,
    act: (at: number, signal: AbortSignal, sending: () => void) => Promise<T>,
  ): Promise<T> {
    let failure: ApiError | undefined;
    for (let turn = 0; turn < this.#pools.length; turn++) {
      const at = (this.#preferred + turn) % this.#pools.length;
      try {
        const reply = await this.#gate.run(request.info, request, (signal, sending) =>
          act(at, signal, sending),
        );
        this.#preferred = at;
        return reply;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        failure = error;
        if (error.mayHaveHadEffect && request.info.mutates !== false) break; // it may have acted: look first
        if (request.signal.aborted) break;
      }
    }
    throw failure ?? new ApiError('unavailable', 'Unavailable', 'no address');
  }

  async #send(
    at: number,
    { method, path, headers, body, info }: HttpRequest,
    signal: AbortSignal,
    sending: () => void,
  ): Promise<HttpReply> {
    const pool = this.#pools[at];
    if (!pool) throw new ApiError('unavailable', 'Unavailable', 'no address');
    const exchange = new Exchange(signal, sending);
    try {
      pool.dispatch({ method, path, headers, body: body ?? null }, exchange);
      return await exchange.reply;
    } catch (cause) {
      throw transportError(info, cause, exchange.started);
    }
  }

  async #open(
    at: number,
    { method, path, headers, body, info, signal: ending }: HttpRequest,
    signal: AbortSignal,
    sending: () => void,
  ): Promise<HttpStream> {
    const pool = this.#pools[at];
    if (!pool) throw new ApiError('unavailable', 'Unavailable', 'no address');
    sending();
    const both = AbortSignal.any([signal, ending]);
    try {
      const opened = await pool.request({ method, path, headers, body: body ?? null, signal: both });
      return { status: opened.statusCode, headers: opened.headers, chunks: chunksOf(info, opened.body) };
    } catch (cause) {
      throw transportError(info, cause, true);
    }
  }

  close(): Promise<unknown> {
    return Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}

async function* chunksOf(info: EffectInfo, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (cause) {
    throw transportError(info, cause, true);
  }
}

/** One request and its answer. A stream for each answer would cost more than all else that is done for it. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly reply: Promise<HttpReply>;
  /** It has a socket: from here on the service may have read it. */
  started = false;
  readonly #settled = Promise.withResolvers<HttpReply>();
  readonly #sending: () => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: HttpReply['headers'] = {};
  /** Why it was cut off. */
  #cause: Error | undefined;

  /** @param sending may refuse by throwing: then nothing is sent. */
  constructor(signal: AbortSignal, sending: () => void) {
    this.reply = this.#settled.promise;
    this.#sending = sending;
    signal.addEventListener('abort', () => this.#cut(signal.reason), { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cause !== undefined) return controller.abort(this.#cause); // while it waited for a socket
    try {
      this.#sending();
      this.started = true;
    } catch (error) {
      this.#cut(error);
    }
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpReply['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [only = Buffer.alloc(0), ...more] = this.#chunks;
    const text = (more.length === 0 ? only : Buffer.concat(this.#chunks)).toString();
    this.#settled.resolve({ status: this.#status, headers: this.#headers, text });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settled.reject(error);
  }

  #cut(reason: unknown): void {
    this.#cause = reason instanceof Error ? reason : new Error(messageOf(reason), { cause: reason });
    this.#settled.reject(this.#cause);
    this.#controller?.abort(this.#cause);
  }
}

/** @param started whether it had a socket; without one nothing was sent. */
function transportError({ op }: EffectInfo, cause: unknown, started: boolean): ApiError {
  const code = codeOf(cause);
  const sent = started && !neverSent.has(code) && !handshake.test(code) && !atConnecting(cause);
  if (cause instanceof errors.ResponseExceededMaxSizeError) {
    const message = `${op}: the answer is larger than ${bodyBytesMax} bytes`;
    return new ApiError('unreadable', 'UnreadableAnswer', message, { mayHaveHadEffect: true });
  }
  const timedOut = cause instanceof Error && (cause.name === 'TimeoutError' || code.endsWith('TIMEOUT'));
  const what = timedOut ? 'no answer in time' : code === '' ? messageOf(cause).slice(0, 120) : code;
  // A parser's error holds the bytes that it could not parse.
  const more = { mayHaveHadEffect: sent, ...(!isParserError(cause) && { cause }) };
  return timedOut && sent
    ? new ApiError('timeout', 'Timeout', `${op}: ${what}`, more)
    : new ApiError('unavailable', 'Unavailable', `${op}: ${what}`, more);
}

const isParserError = (cause: unknown): boolean => cause instanceof errors.HTTPParserError;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
