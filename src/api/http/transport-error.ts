// Classifies calls that got no answer: whether the call may have had an effect, and which address it went to.
import { errors } from 'undici';
import type { EffectInfo } from '../../core/effect.ts';
import { ApiError, messageOf } from '../../core/errors.ts';

export const bodyBytesMax = 64 * 2 ** 20;

/** With these errors the request was never sent, so it had no effect. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * The TLS handshake failed, so no request was processed. Other TLS errors may arrive after the service has carried out
 * a request, in place of the answer.
 */
const handshake =
  /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|_CERT|_ALERT_(UNKNOWN_CA|ACCESS_DENIED)$/;
/** The client was closed here, since its connection was edited or left. */
const closed = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);
const atConnecting = (cause: unknown): boolean =>
  cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect';

const plain = 'it does not speak TLS on that port: use http://, or the port where it does';
const refusesOurs = 'it does not take our client certificate';
const wantsOurs = 'it wants a client certificate that it trusts';
const mayWantOurs = 'it may want a client certificate that it trusts';
const untrusted = 'its certificate is signed by no authority that is trusted';

/** What the codes of the system, of TLS and of undici mean, for those who know none by heart. */
const meanings: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection reset'],
  ['UND_ERR_SOCKET', 'connection closed'],
  ['ENOTFOUND', 'no such host'],
  ['EAI_AGAIN', 'its name could not be resolved'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'no route to its network'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
  ['ERR_SSL_WRONG_VERSION_NUMBER', plain],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', plain],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'it takes no version of TLS that we speak'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'it takes no version of TLS that we speak'],
  ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', 'it has no certificate for that host'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', wantsOurs],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', wantsOurs],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', refusesOurs],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', refusesOurs],
]);

/** What a code means, and the code itself: `connection refused (ECONNREFUSED)`. */
export function meaningOf(code: string): string {
  const meaning = meanings.get(code);
  return meaning === undefined ? code : `${meaning} (${code})`;
}

/** @param started whether the request had a socket; without a socket, nothing was sent */
export function transportError({ op }: EffectInfo, cause: unknown, started: boolean): ApiError {
  if (cause instanceof ApiError) return cause;
  const code = codeOf(cause);
  const sent = started && !neverSent.has(code) && !handshake.test(code) && !atConnecting(cause);
  if (cause instanceof errors.ResponseExceededMaxSizeError) {
    const message = `${op}: the answer is larger than ${bodyBytesMax} bytes`;
    return new ApiError('unreadable', 'InvalidResponse', message, { mayHaveHadEffect: true, cause });
  }
  const timedOut = cause instanceof Error && (cause.name === 'TimeoutError' || code.endsWith('TIMEOUT'));
  const what = timedOut
    ? 'no answer in time'
    : code === ''
      ? messageOf(cause).slice(0, 120)
      : meaningOf(code);
  // A parser error holds the bytes that could not be parsed, so it is not passed on as the cause.
  const more = { mayHaveHadEffect: sent, ...(!(cause instanceof errors.HTTPParserError) && { cause }) };
  if (closed.has(code)) {
    // No outage: it tells nothing about the service, nor about the connection as it is declared now.
    return new ApiError(
      'unavailable',
      'ConnectionNotReady',
      `${op}: the connection was edited or closed`,
      more,
    );
  }
  return timedOut && sent
    ? new ApiError('timeout', 'Timeout', `${op}: ${what}`, more)
    : new ApiError('unavailable', 'Unavailable', `${op}: ${what}`, more);
}

/** Whether the error is one of TLS: an untrusted certificate, no common version, a server without TLS. */
export const isOfTLS = (code: string): boolean =>
  handshake.test(code) || /^(EPROTO$|ERR_(OS)?SSL_)/.test(code);

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Adds the address to the message of an outage: only its origin, because the URL may hold a password. */
export function addressed(error: ApiError, address: string | undefined): ApiError {
  const { class: is, reason, message, mayHaveHadEffect, status, retryAfterMs, cause } = error;
  const isOfTransport = reason === 'Unavailable' || reason === 'Timeout';
  if (!isOfTransport || address === undefined || !URL.canParse(address)) return error;
  const more = { mayHaveHadEffect, retryAfterMs, cause, ...(status !== undefined && { status }) };
  const { origin, protocol } = new URL(address);
  const hint = protocol === 'https:' && isWordless(cause) ? ` without a word: ${mayWantOurs}` : '';
  return new ApiError(is, reason, `${message}${hint} (${origin})`, more);
}

/** The socket was opened, and closed before it brought anything. In TLS 1.3 a service refuses a client certificate by that. */
const isWordless = (cause: unknown): boolean =>
  cause instanceof errors.SocketError && cause.socket?.bytesRead === 0;
