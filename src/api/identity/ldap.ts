// Checks a password against a directory with one simple bind, and sends nothing else.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTLS, type ConnectionOptions, type TLSSocket } from 'node:tls';
import {
  Client,
  ConfidentialityRequiredError,
  InappropriateAuthError,
  InvalidCredentialsError,
  InvalidDNSyntaxError,
  NoSuchObjectError,
  ResultCodeError,
  StrongAuthRequiredError,
} from 'ldapts';
import type { EffectInfo } from '../../core/effect.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import type { Reason } from '../../core/status/reasons.ts';
import { reveal, type Secret } from '../../core/secret.ts';
import type { EffectGate } from '../effect.ts';
import { scrubbed } from '../redaction/echoes.ts';
import { oneLine } from '../http/request.ts';

export interface BindCheck {
  /** `ldap://host[:port]` or `ldaps://…`. If one is unavailable, the next is tried. */
  readonly urls: readonly string[];
  /** Upgrades an `ldap:` connection to TLS before anything else is sent. */
  readonly starttls?: boolean;
  /** Skips the verification of the server's certificate. */
  readonly insecureTLS?: boolean;
  /** PEM. */
  readonly ca?: Secret;
  readonly clientCertificate?: Secret;
  readonly clientKey?: Secret;
  readonly dn: string;
  readonly password: Secret;
  readonly timeoutMs: number;
  /** Key of the object that this call is made for. */
  readonly key?: string;
}

const urlsMax = 8;
const answerBytesMax = 65_536;
const pieceBytes = 4_096;

/**
 * Binds and disconnects. Follows no referral.
 * @throws ApiError if the directory neither accepts nor rejects the password: unreachable, no TLS, or invalid arguments
 */
export async function verifyBind(
  check: BindCheck,
  gate: EffectGate,
  signal: AbortSignal,
): Promise<'accepted' | 'rejected'> {
  refuseNonsense(check);
  const info: EffectInfo = {
    port: 'ldap',
    op: 'ldap.bind',
    mutates: false,
    ...(check.key !== undefined && { key: check.key }),
  };
  let failure = unavailable('no address');
  for (const url of check.urls.slice(0, urlsMax)) {
    try {
      const deadlineMs = check.timeoutMs * 2; // one timeout to connect, one to answer
      return await gate.run(info, { signal, deadlineMs }, (ending) => attempt(new URL(url), check, ending));
    } catch (error) {
      if (!(error instanceof ApiError) || error.class !== 'unavailable') throw error;
      failure = error;
      if (signal.aborted) break;
    }
  }
  throw failure;
}

/** A rejected password counts as waiting: it may not have replicated to this LDAP server yet. */
export const rejection = (dn: string): ApiError =>
  new ApiError('waiting', 'BindRejected', `the directory rejects the password of ${dn}`);

const refused = (reason: Reason, what: string) => new ApiError('refused', reason, `ldap.bind: ${what}`);
const unavailable = (what: string, reason: Reason = 'DirectoryUnreachable') =>
  new ApiError('unavailable', reason, `ldap.bind: ${what}`);

function refuseNonsense({ urls, dn, password }: BindCheck): void {
  // A directory treats a bind without a name or a password as anonymous, and accepts it.
  if (reveal(password) === '') throw refused('EmptyPassword', `${password.source}: the password is empty`);
  // ldapts would treat a single word as a SASL mechanism.
  if (!/[=@\\]/.test(dn)) throw refused('Rejected', 'expected a distinguished name to bind as');
  for (const url of urls) {
    const { protocol, host, username, password: inside } = URL.canParse(url) ? new URL(url) : noUrl;
    if (!/^ldaps?:$/.test(protocol) || host === '' || username !== '' || inside !== '') {
      throw refused('Rejected', 'expected URLs of the form ldap://host:port or ldaps://host:port');
    }
  }
}

const noUrl = { protocol: '', host: '', username: '', password: '' };

async function attempt(url: URL, check: BindCheck, signal: AbortSignal): Promise<'accepted' | 'rejected'> {
  const tls = tlsOf(url, check);
  const client = new Client({
    url: `${url.protocol}//${url.host}`,
    timeout: check.timeoutMs,
    connectTimeout: check.timeoutMs,
    createConnection: () => dial(url),
    createSecureConnection: () => bounded(connectTLS(tls)), // for StartTLS, ldapts sets the socket in `tls`
  });
  try {
    await unlessAborted(signal, async () => {
      if (check.starttls === true && url.protocol === 'ldap:') {
        await client.startTLS(tls);
        // Otherwise ldapts would reconnect by itself, without TLS.
        if (!client.isConnected) throw new Error('the connection was closed');
      }
      await client.bind(check.dn, reveal(check.password));
    });
    return 'accepted';
  } catch (error) {
    return answerIn(error, url, check);
  } finally {
    void client.unbind().catch(() => undefined); // the answer is known; the socket closes either way
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replaceAll(/^\[|\]$/g, '');
const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'ldaps:' ? 636 : 389);

/**
 * Passes data on in small pieces, and closes the socket at a limit. ldapts handles the messages of one piece
 * recursively, so ten thousand messages in one piece would crash the process.
 */
function dial(url: URL): Socket {
  let left = answerBytesMax;
  const socket = connect({
    host: hostOf(url),
    port: portOf(url),
    onread: {
      buffer: Buffer.alloc(pieceBytes),
      callback(bytes, buffer) {
        left -= bytes;
        if (left < 0) socket.destroy();
        else socket.emit('data', Buffer.from(buffer.subarray(0, bytes)));
        return true;
      },
    },
  });
  return socket;
}

/** Closes the socket at the same limit. TLS delivers pieces of 16 KiB at most. */
function bounded(socket: TLSSocket): TLSSocket {
  let left = answerBytesMax;
  socket.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) socket.destroy();
  });
  return socket;
}

/** Sets the host, so that the certificate is checked against it on an upgraded socket, too. */
function tlsOf(url: URL, check: BindCheck): ConnectionOptions {
  const host = hostOf(url);
  return {
    host,
    port: portOf(url),
    rejectUnauthorized: check.insecureTLS !== true,
    ...(isIP(host) === 0 && { servername: host }),
    ...(check.ca && { ca: reveal(check.ca) }),
    ...(check.clientCertificate && { cert: reveal(check.clientCertificate) }),
    ...(check.clientKey && { key: reveal(check.clientKey) }),
  };
}

/** Which errors are a rejection. @throws ApiError for all others, without a cause: the cause may quote the request */
function answerIn(error: unknown, url: URL, { password }: BindCheck): 'rejected' {
  const isWrong =
    error instanceof InvalidCredentialsError ||
    error instanceof InappropriateAuthError ||
    error instanceof NoSuchObjectError;
  if (isWrong) return 'rejected';
  const what = `${url.host}: ${oneLine(scrubbed(messageOf(error), [password]))}`;
  if (error instanceof ConfidentialityRequiredError || error instanceof StrongAuthRequiredError) {
    throw refused('ConfidentialityRequired', `${what}; use ldaps: or StartTLS`);
  }
  if (error instanceof InvalidDNSyntaxError) throw refused('Rejected', what);
  throw error instanceof ResultCodeError ? unavailable(what, 'DirectoryError') : unavailable(what);
}

/** Stops waiting when the signal is aborted: ldapts takes no signal. */
async function unlessAborted(signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(new Error('no answer in time'));
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([act(), promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
