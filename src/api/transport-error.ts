// What it means that a call got no answer: whether it may have acted, and where it went.
import { errors } from 'undici';
import type { EffectInfo } from '../core/effect.ts';
import { ApiError, messageOf } from '../core/errors.ts';

export const bodyBytesMax = 64 * 2 ** 20;

/** The request never left, so it can't have acted. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * TLS was not agreed on, so no request was processed. Other TLS errors may arrive after a request was answered, in
 * place of the answer.
 */
const handshake =
  /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|_CERT|_ALERT_(UNKNOWN_CA|ACCESS_DENIED)$/;
const atConnecting = (cause: unknown): boolean =>
  cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect';

/** @param started whether the request had a socket; without one nothing was sent */
export function transportError({ op }: EffectInfo, cause: unknown, started: boolean): ApiError {
  if (cause instanceof ApiError) return cause;
  const code = codeOf(cause);
  const sent = started && !neverSent.has(code) && !handshake.test(code) && !atConnecting(cause);
  if (cause instanceof errors.ResponseExceededMaxSizeError) {
    const message = `${op}: the answer is larger than ${bodyBytesMax} bytes`;
    return new ApiError('unreadable', 'InvalidResponse', message, { mayHaveHadEffect: true, cause });
  }
  const timedOut = cause instanceof Error && (cause.name === 'TimeoutError' || code.endsWith('TIMEOUT'));
  const what = timedOut ? 'no answer in time' : code === '' ? messageOf(cause).slice(0, 120) : code;
  // A parser error holds the bytes that could not be parsed, so it is not the cause.
  const more = { mayHaveHadEffect: sent, ...(!(cause instanceof errors.HTTPParserError) && { cause }) };
  return timedOut && sent
    ? new ApiError('timeout', 'Timeout', `${op}: ${what}`, more)
    : new ApiError('unavailable', 'Unavailable', `${op}: ${what}`, more);
}

/** Whether TLS was not agreed on: no trust, no common version, or the other side speaks no TLS. */
export const isOfTLS = (code: string): boolean =>
  handshake.test(code) || /^(EPROTO$|ERR_(OS)?SSL_)/.test(code);

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Says at which address there was none: without what else a URL may hold, such as a password. */
export function addressed(error: ApiError, address: string | undefined): ApiError {
  const { class: is, reason, message, mayHaveHadEffect, status, retryAfterMs, cause } = error;
  const isOfTransport = reason === 'Unavailable' || reason === 'Timeout';
  if (!isOfTransport || address === undefined || !URL.canParse(address)) return error;
  const more = { mayHaveHadEffect, retryAfterMs, cause, ...(status !== undefined && { status }) };
  return new ApiError(is, reason, `${message} (${new URL(address).origin})`, more);
}
