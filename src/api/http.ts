// The one HTTP transport: bounded, never following redirects, with outcomes that say whether a call may have acted.
import { Pool, errors, type Dispatcher } from 'undici';
import type { EffectInfo } from '../core/effect.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import { reveal, type Secret } from '../core/secret.ts';
import { Answer, refusePacked, type Head, type HttpReply } from './answer.ts';
import type { EffectGate } from './effect.ts';

/** What carries requests to one origin; closed by the transport that asked for it. */
export type DispatcherOf = (origin: string) => Dispatcher;

export interface TransportOptions {
  /** Origins, tried in turn when one can't be reached. */
  readonly addresses: readonly string[];
  /** A Unix socket that leads to all of them. */
  readonly socketPath?: string;
  readonly tls?: {
    readonly ca?: Secret;
    readonly certificate?: Secret;
    readonly key?: Secret;
    readonly serverName?: string;
  };
  /** Sockets per address. */
  readonly connections: number;
  readonly gate: EffectGate;
  /** Who speaks to an origin. Default: sockets. */
  readonly dispatcherOf?: DispatcherOf;
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

/** An answer that goes on; with a text instead where it is no 200. */
export interface HttpStream extends HttpReply {
  /** @throws ApiError where it breaks off or falls silent */
  readonly chunks: AsyncIterable<Buffer>;
}

const bodyBytesMax = 64 * 2 ** 20;
/**
 * Nothing is packed, so nothing grows while it is read. It would not be faster either: of 286 KB, a page of 500 volumes,
 * gzip makes 11, in 9 ms there and here, and 1 Gbit/s carries them in 2. Older servers hold a packed stream back, too.
 */
const unpacked = { 'accept-encoding': 'identity' };
/** The request never left: it can't have acted. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * TLS was not agreed on: nothing of the request was sent, or it was sent to one who then said that he wants another
 * certificate. Other errors of TLS may come after the answer to a request, in its stead.
 */
const handshake =
  /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|_CERT|_ALERT_(UNKNOWN_CA|ACCESS_DENIED)$/;
const atConnecting = (cause: unknown): boolean =>
  cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect';

export class HttpTransport {
  readonly #pools: readonly Dispatcher[];
  readonly #gate: EffectGate;
  #preferred = 0;

  constructor({ addresses, connections, gate, dispatcherOf, ...options }: TransportOptions) {
    const { silenceMs, socketPath, tls } = options;
    this.#gate = gate;
    const connect = {
      timeout: 10_000,
      rejectUnauthorized: true, // whatever the environment says
      ...(socketPath !== undefined && { socketPath }),
      ...(tls?.ca && { ca: reveal(tls.ca) }),
      ...(tls?.certificate && { cert: reveal(tls.certificate) }),
      ...(tls?.key && { key: reveal(tls.key) }),
      ...(tls?.serverName !== undefined && { servername: tls.serverName }),
    };
    const limits = {
      headersTimeout: 0, // each call has a deadline of its own
      bodyTimeout: silenceMs ?? 60_000,
      maxHeaderSize: 65_536,
      maxResponseSize: silenceMs === undefined ? bodyBytesMax : -1,
      allowH2: false, // streams would get around the limit on connections
    };
    const sockets = (origin: string) => new Pool(origin, { connections, connect, ...limits });
    this.#pools = addresses.map(dispatcherOf ?? sockets);
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
        const { signal } = request;
        const isTooLate = signal.aborted && error === signal.reason; // before anything was sent
        if (!(error instanceof ApiError || isTooLate)) throw error;
        failure = transportError(request.info, error, false);
        if (failure.mayHaveHadEffect && request.info.mutates !== false) break; // it may have acted: look first
        if (signal.aborted) break;
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
    const exchange = new Exchange(info.op, signal, sending);
    try {
      pool.dispatch({ method, path, headers: { ...unpacked, ...headers }, body: body ?? null }, exchange);
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
      const all = { ...unpacked, ...headers };
      const options = { method, path, headers: all, body: body ?? null, signal: both };
      return await opened(info, await unlessAborted(pool.request(options), both));
    } catch (cause) {
      throw transportError(info, cause, true);
    }
  }

  close(): Promise<unknown> {
    return Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}

async function opened(info: EffectInfo, response: Dispatcher.ResponseData): Promise<HttpStream> {
  const { statusCode: status, headers, body } = response;
  const head = { status, headers };
  try {
    if (status !== 200) return { ...(await refusalIn(info.op, head, body)), chunks: body };
    refusePacked(info.op, head);
    return { ...head, text: '', chunks: chunksOf(info, body) };
  } catch (error) {
    body.on('error', () => {}).destroy(); // whatever else comes of it
    throw error;
  }
}

/** Of its body no more is read than can be shown, and no longer than the deadline of the head. */
async function refusalIn(op: string, head: Head, body: AsyncIterable<Buffer>): Promise<HttpReply> {
  const answer = new Answer(head, false);
  for await (const chunk of body) {
    answer.add(chunk);
    if (!answer.wantsMore) break;
  }
  return answer.reply(op);
}

/** The pool does not tell those who wait for a socket that their time is over. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
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
  readonly #op: string;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: Answer | undefined;
  /** Why it was cut off. */
  #cause: Error | undefined;

  /** @param sending may refuse by throwing: then nothing is sent. */
  constructor(op: string, signal: AbortSignal, sending: () => void) {
    this.#op = op;
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

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Head['headers']): void {
    if (status >= 200) this.#answer = new Answer({ status, headers }, status < 300); // others come before the answer
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#answer?.add(chunk);
  }

  onResponseEnd(): void {
    try {
      if (!this.#answer) throw new Error('no answer');
      this.#settled.resolve(this.#answer.reply(this.#op));
    } catch (error) {
      this.#settled.reject(error);
    }
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
  if (cause instanceof ApiError) return cause;
  const code = codeOf(cause);
  const sent = started && !neverSent.has(code) && !handshake.test(code) && !atConnecting(cause);
  if (cause instanceof errors.ResponseExceededMaxSizeError) {
    const message = `${op}: the answer is larger than ${bodyBytesMax} bytes`;
    return new ApiError('unreadable', 'InvalidResponse', message, { mayHaveHadEffect: true });
  }
  const timedOut = cause instanceof Error && (cause.name === 'TimeoutError' || code.endsWith('TIMEOUT'));
  const what = timedOut ? 'no answer in time' : code === '' ? messageOf(cause).slice(0, 120) : code;
  // A parser's error holds the bytes that it could not parse.
  const more = { mayHaveHadEffect: sent, ...(!(cause instanceof errors.HTTPParserError) && { cause }) };
  return timedOut && sent
    ? new ApiError('timeout', 'Timeout', `${op}: ${what}`, more)
    : new ApiError('unavailable', 'Unavailable', `${op}: ${what}`, more);
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
