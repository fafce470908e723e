// Fetches the metadata and keys of an issuer (services.md#oidc-configuration). Trusts the authorities and server names
// of the configuration, limits time and size, and follows no redirect.
import { X509Certificate, type JsonWebKey } from 'node:crypto';
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest, type RequestOptions } from 'node:https';
import { checkServerIdentity } from 'node:tls';
import { messageOf } from '../../../core/errors.ts';
import { textOf } from './json.ts';

/** The certificates that TLS accepts. */
export interface Trust {
  /** PEM; empty: the system's authorities. */
  readonly ca: string;
  /** Names that are accepted instead of the URL's host; empty: only the URL's host. */
  readonly serverNames: readonly string[];
}

export interface Issuer extends Trust {
  readonly url: string;
}

export interface Discovery {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userInfoEndpoint: string;
  readonly jwksURL: string;
  /** The signing algorithms; empty: not stated. */
  readonly algorithms: readonly unknown[];
}

/** The issuer did not answer, or its answer is not valid. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError';
}

/** The built-in issuer, at any path. It can be configured, and signs no tokens. */
const embeddedOrigin = 'https://embedded';
const isEmbedded = (url: string): boolean => URL.canParse(url) && new URL(url).origin === embeddedOrigin;

const deadlineMs = 10_000;
const keysMax = 100;
const bytesMax = 1024 * 1024;

export async function discover(issuer: Issuer, ending: AbortSignal): Promise<Discovery> {
  checkAuthorities(issuer.ca);
  if (isEmbedded(issuer.url)) {
    const at = (page: string): string => `${issuer.url.replace(/\/$/, '')}/${page}`;
    return {
      authorizationEndpoint: at('authorize'),
      tokenEndpoint: at('token'),
      userInfoEndpoint: '',
      jwksURL: at('keys'),
      algorithms: ['RS256'],
    };
  }
  const found = await jsonFrom(
    `${issuer.url.replace(/\/$/, '')}/.well-known/openid-configuration`,
    issuer,
    ending,
  );
  if (found['issuer'] !== issuer.url) {
    throw new DiscoveryError('issuer did not match the issuer returned by provider');
  }
  const algorithms = found['id_token_signing_alg_values_supported'];
  return {
    algorithms: Array.isArray(algorithms) ? algorithms : [],
    authorizationEndpoint: textOf(found['authorization_endpoint']),
    tokenEndpoint: textOf(found['token_endpoint']),
    userInfoEndpoint: textOf(found['userinfo_endpoint']),
    jwksURL: textOf(found['jwks_uri']),
  };
}

/** The public signing keys as JWKs. @throws DiscoveryError */
export async function keysFrom(
  url: string,
  trust: Trust,
  ending: AbortSignal,
): Promise<readonly JsonWebKey[]> {
  if (isEmbedded(url)) return [];
  const { keys } = await jsonFrom(url, trust, ending);
  if (!Array.isArray(keys)) throw new DiscoveryError('no list of keys');
  return keys.slice(0, keysMax);
}

/** Refuses a bad authority even if the issuer is requested without TLS. */
function checkAuthorities(pem: string): void {
  try {
    if (pem !== '') void new X509Certificate(pem);
  } catch (cause) {
    throw new DiscoveryError('could not parse CA PEM value successfully', { cause });
  }
}

interface Sent {
  readonly authorization: string;
  /** Absent: a GET with the header only. */
  readonly form?: URLSearchParams;
}

/** Sends the header and the form. The reply to a form may be an error in JSON. @throws DiscoveryError */
export const jsonTo = (
  url: string,
  trust: Trust,
  sent: Sent,
  ending: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> => jsonFrom(url, trust, ending, sent);

async function jsonFrom(
  url: string,
  trust: Trust,
  ending: AbortSignal,
  sent?: Sent,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const parsed: unknown = JSON.parse(await textFrom(new URL(url), trust, ending, sent));
    if (parsed === null || typeof parsed !== 'object') throw new Error('no object');
    return Object.fromEntries(Object.entries(parsed));
  } catch (cause) {
    throw new DiscoveryError(messageOf(cause), { cause });
  }
}

function textFrom(url: URL, { ca, serverNames }: Trust, ending: AbortSignal, sent?: Sent): Promise<string> {
  const body = sent?.form?.toString();
  const options: RequestOptions = {
    ...(body !== undefined && { method: 'POST' }),
    headers: {
      ...(sent && { authorization: sent.authorization }),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    signal: AbortSignal.any([ending, AbortSignal.timeout(deadlineMs)]),
    agent: false,
    ...(ca !== '' && { ca }),
    ...(serverNames.length > 0 && {
      checkServerIdentity: (_, certificate) => {
        const problems = serverNames.map((name) => checkServerIdentity(name, certificate));
        return problems.includes(undefined) ? undefined : problems[0];
      },
    }),
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? secureRequest : plainRequest;
    const takes = body === undefined ? [200] : [200, 400, 401];
    send(url, options, (response) => void bodyOf(response, takes).then(resolve, reject))
      .on('error', reject)
      .end(body);
  });
}

async function bodyOf(response: IncomingMessage, takes: readonly number[]): Promise<string> {
  if (!takes.includes(response.statusCode ?? 0)) {
    response.destroy();
    throw new Error(`status ${response.statusCode}`); // a redirect too, because it may lead to another issuer
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > bytesMax) throw new Error(`more than ${bytesMax} bytes`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString();
}
