// Asks identity providers how logins go there: one bounded request each, no redirect, and no more often than is needed.
import { errors } from 'undici';
import type { Clock, WallClock } from '../core/clock.ts';
import { ApiError } from '../core/errors.ts';
import { canonical } from '../core/hash.ts';
import type { Reason } from '../core/status/reasons.ts';
import { Secret } from '../core/secret.ts';
import type { EffectGate } from './effect.ts';
import { HttpTransport, type DispatcherOf } from './http.ts';
import { codeOf, isOfTLS } from './transport-error.ts';

export interface IssuerQuestion {
  readonly op: 'issuer.discover';
  /** http or https. */
  readonly url: string;
  /** Authorities to trust, as PEM. Empty: those of Node.js. */
  readonly certificate: string;
}

/** What became of a question, and when it was asked (RFC 3339). */
export type IssuerAnswer = { readonly at: string } & (
  | { readonly is: 'answer'; readonly status: number; readonly text: string }
  /** There is no answer, or none that may be read. */
  | { readonly is: 'fault'; readonly reason: Reason; readonly message: string }
);

export interface IssuersOptions {
  readonly gate: EffectGate;
  readonly clock: Pick<Clock, 'nowMs'> & WallClock;
  /** Default: undici's pool of sockets. */
  readonly dispatcherOf?: DispatcherOf;
  /** Default: ten seconds, as the services have it. */
  readonly deadlineMs?: number;
}

interface Known {
  readonly atMs: number;
  readonly answer: IssuerAnswer;
}

/** As the embedded secrets service has it. */
const answerBytesMax = 1024 * 1024;
const knownMax = 1_000;

export class Issuers {
  readonly #options: IssuersOptions;
  /** The oldest first. */
  readonly #known = new Map<string, Known>();

  constructor(options: IssuersOptions) {
    this.#options = options;
  }

  /**
   * Never throws for what an issuer did or did not do.
   * @param freshMs an answer that is not older is given again
   */
  async ask(question: IssuerQuestion, freshMs: number, signal: AbortSignal): Promise<IssuerAnswer> {
    const { clock } = this.#options;
    const name = canonical({ ...question });
    const known = this.#known.get(name);
    if (known && clock.nowMs() - known.atMs < freshMs) return known.answer;
    const found = await this.#ask(question, signal);
    const answer = { at: new Date(clock.wallMs()).toISOString(), ...found };
    this.#known.delete(name);
    this.#known.set(name, { atMs: clock.nowMs(), answer });
    const [oldest] = this.#known.keys();
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest);
    return answer;
  }

  async #ask({ op, url, certificate }: IssuerQuestion, signal: AbortSignal) {
    const { gate, dispatcherOf, deadlineMs = 10_000 } = this.#options;
    const { origin, pathname, search, host } = new URL(url);
    try {
      const transport = new HttpTransport({
        addresses: [origin],
        connections: 1,
        gate,
        answerBytesMax,
        ...(certificate !== '' && { tls: { ca: Secret.of('certificate', '', certificate) } }),
        ...(dispatcherOf && { dispatcherOf }),
      });
      try {
        const { status, text } = await transport.request({
          info: { port: 'issuer', op, mutates: false },
          method: 'GET',
          path: pathname + search,
          headers: { accept: 'application/json' },
          signal,
          deadlineMs,
        });
        return { is: 'answer' as const, status, text };
      } finally {
        await transport.close();
      }
    } catch (error) {
      signal.throwIfAborted(); // nobody waits for it: that says nothing of the issuer
      return { is: 'fault' as const, ...faultIn(error, host) };
    }
  }
}

function faultIn(error: unknown, host: string): { readonly reason: Reason; readonly message: string } {
  const cause = error instanceof ApiError ? error.cause : error;
  const code = codeOf(cause);
  if (cause instanceof errors.ResponseExceededMaxSizeError)
    return {
      reason: 'IssuerAnswerTooLarge',
      message: `${host}: answers with more than ${answerBytesMax} bytes`,
    };
  if (isOfTLS(code)) return { reason: 'IssuerNotTrusted', message: `${host}: ${code}` };
  if (!(error instanceof ApiError)) throw error;
  if (error.class === 'unreadable')
    return { reason: 'IssuerUnreadable', message: `${host}: its answer is no text` };
  const isSlow = error.class === 'timeout' || error.message.includes('no answer in time');
  if (isSlow) return { reason: 'IssuerSlow', message: `${host}: no answer in time` };
  return { reason: 'IssuerUnavailable', message: code === '' ? `${host}: no answer` : `${host}: ${code}` };
}
