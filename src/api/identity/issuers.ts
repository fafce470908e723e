// Checks logins at identity providers: one bounded request each, without redirects. Documents and checks are cached.
import { Buffer } from 'node:buffer';
import { errors } from 'undici';
import type { Clock, WallClock } from '../../core/time/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { canonical } from '../../core/hash.ts';
import type { JsonMap } from '../../core/json.ts';
import { reveal, Secret } from '../../core/secret.ts';
import type { HttpReply } from '../http/answer.ts';
import { documentIn, isOutage, type DiscoveryDocument, type Fault } from './discovery-document.ts';
import type { EffectGate } from '../effect.ts';
import { HttpTransport, type DispatcherOf, type HttpRequest } from '../http/transport.ts';
import { Remembered, type Dated } from './remembered.ts';
import { header } from '../http/request.ts';
import { codeOf, isOfTLS, meaningOf } from '../http/transport-error.ts';

export interface IssuerAt {
  /** http or https URL of the issuer, or of one of its endpoints. */
  readonly url: string;
  /** Certificate authorities to trust, as PEM. Empty: Node.js's own. */
  readonly certificate: string;
}

export interface Client {
  readonly id: string;
  readonly secret: Secret;
}

export interface Discovered extends DiscoveryDocument {
  /** How far the issuer's clock is ahead of this machine's, by its `Date` header; negative: behind. 0: no header. */
  readonly skewMs: number;
}

/** A provider's answer to a login or a token request. */
export interface Answer {
  readonly status: number;
  /** Target of the redirect; empty: none. */
  readonly location: string;
  /** The OAuth error code; empty: none. */
  readonly error: string;
}

export interface IssuersOptions {
  readonly gate: EffectGate;
  readonly clock: Pick<Clock, 'nowMs'> & WallClock;
  /** Default: undici's pool of sockets. */
  readonly dispatcherOf?: DispatcherOf;
  /** Default: ten seconds, as in the secrets services. */
  readonly deadlineMs?: number;
}

type Asked = 'issuer.discover' | 'issuer.authorize' | 'issuer.token';
type Sent = Pick<HttpRequest, 'method' | 'headers' | 'body'>;

/** As in the embedded secrets service. */
const answerBytesMax = 1024 * 1024;

/** An issuer's failure is returned as a Fault; methods throw for other reasons only, such as an aborted signal. */
export class Issuers {
  /** Cache for results of login checks, in the format of the kind that makes the checks. */
  readonly checks: Remembered<JsonMap>;
  readonly #options: IssuersOptions;
  readonly #documents: Remembered<Discovered | Fault>;

  constructor(options: IssuersOptions) {
    this.#options = options;
    this.checks = new Remembered(options.clock);
    this.#documents = new Remembered(options.clock);
  }

  /**
   * Reads the issuer's discovery document.
   * @param freshMs a cached answer younger than this is returned
   */
  discover(issuer: IssuerAt, freshMs: number, signal: AbortSignal): Promise<Dated<Discovered | Fault>> {
    const url = `${issuer.url.replace(/\/$/, '')}/.well-known/openid-configuration`;
    return this.#documents.get(canonical({ ...issuer }), freshMs, async () => {
      const reply = await this.#ask('issuer.discover', { ...issuer, url }, get('application/json'), signal);
      if ('reason' in reply) return reply;
      const document = documentIn(reply.status, reply.text);
      return 'reason' in document ? document : { ...document, skewMs: this.#skewMs(reply) };
    });
  }

  /** Begins a login as a browser would. Only status and redirect are returned, not the page. */
  async authorize(address: IssuerAt, signal: AbortSignal): Promise<Answer | Fault> {
    const reply = await this.#ask('issuer.authorize', address, get('text/html'), signal);
    if ('reason' in reply || isOutage(reply.status)) return outage(reply);
    return { status: reply.status, location: header(reply, 'location') ?? '', error: '' };
  }

  /**
   * Requests a token for the client itself and discards it, to see whether the issuer accepts the client's secret. Some
   * issuers take it in one place only, in the header or in the body, and say invalid_client of a right one in the other.
   */
  async token(endpoint: IssuerAt, client: Client, signal: AbortSignal): Promise<Answer | Fault> {
    const answer = await this.#token(endpoint, inHeader(client), signal);
    const isRefused = !('reason' in answer) && answer.error === 'invalid_client';
    return isRefused ? this.#token(endpoint, inBody(client), signal) : answer;
  }

  async #token(endpoint: IssuerAt, sent: Sent, signal: AbortSignal): Promise<Answer | Fault> {
    const reply = await this.#ask('issuer.token', endpoint, sent, signal);
    if ('reason' in reply || isOutage(reply.status)) return outage(reply);
    const [, error = ''] = /"error"\s*:\s*"([a-z_]{1,64})"/.exec(reply.text) ?? [];
    return { status: reply.status, location: '', error };
  }

  async #ask(
    op: Asked,
    { url, certificate }: IssuerAt,
    sent: Sent,
    signal: AbortSignal,
  ): Promise<HttpReply | Fault> {
    const { gate, dispatcherOf, deadlineMs = 10_000 } = this.#options;
    const { origin, pathname, search, host } = new URL(url);
    const transport = new HttpTransport({
      addresses: [origin],
      connections: 1,
      gate,
      answerBytesMax,
      ...(certificate !== '' && { tls: { ca: Secret.of('certificate', '', certificate) } }),
      ...(dispatcherOf && { dispatcherOf }),
    });
    const info = { port: 'issuer', op, mutates: false } as const;
    try {
      return await transport.request({ info, path: pathname + search, signal, deadlineMs, ...sent });
    } catch (error) {
      signal.throwIfAborted(); // the caller aborted: that is no fault of the issuer
      return faultIn(error, host);
    } finally {
      await transport.close();
    }
  }

  /** The `Date` header plus the time that the answer lay in a cache, compared with this machine's clock. */
  #skewMs(reply: HttpReply): number {
    const stated = Date.parse(header(reply, 'date') ?? '') + Number(header(reply, 'age') ?? 0) * 1_000;
    return Number.isNaN(stated) ? 0 : stated - this.#options.clock.wallMs();
  }
}

const grant = 'client_credentials';
const form = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };

function inHeader({ id, secret }: Client): Sent {
  const client = [id, reveal(secret)].map(encodeURIComponent).join(':');
  const authorization = `Basic ${Buffer.from(client).toString('base64')}`;
  return { method: 'POST', headers: { ...form, authorization }, body: `grant_type=${grant}` };
}

function inBody({ id, secret }: Client): Sent {
  const fields = { grant_type: grant, client_id: id, client_secret: reveal(secret) };
  return { method: 'POST', headers: form, body: new URLSearchParams(fields).toString() };
}

const get = (accept: string): Sent => ({ method: 'GET', headers: { accept } });

const outage = (reply: HttpReply | Fault): Fault =>
  'reason' in reply
    ? reply
    : { reason: 'IssuerUnavailable', message: `status ${reply.status}`, transient: true };

function faultIn(error: unknown, host: string): Fault {
  const cause = error instanceof ApiError ? error.cause : error;
  const code = codeOf(cause);
  if (cause instanceof errors.ResponseExceededMaxSizeError) {
    const message = `${host}: answers with more than ${answerBytesMax} bytes`;
    return { reason: 'IssuerAnswerTooLarge', message, transient: false };
  }
  if (isOfTLS(code))
    return { reason: 'IssuerNotTrusted', message: `${host}: ${meaningOf(code)}`, transient: false };
  if (!(error instanceof ApiError)) throw error;
  if (error.class === 'unreadable')
    return { reason: 'IssuerUnreadable', message: `${host}: its answer is no text`, transient: false };
  const isSlow = error.class === 'timeout' || error.message.includes('no answer in time');
  if (isSlow) return { reason: 'IssuerSlow', message: `${host}: no answer in time`, transient: true };
  const message = code === '' ? `${host}: no answer` : `${host}: ${meaningOf(code)}`;
  return { reason: 'IssuerUnavailable', message, transient: true };
}
