// A real identity provider for tests (oidc-provider), on the loopback of this process, whose keys can sign tokens.
import { generateKeyPairSync, sign as signed, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { Provider } from 'oidc-provider';
import { portOf } from './port.ts';

export interface Issuer {
  /** As it says it is called. */
  readonly url: string;
  readonly clientID: string;
  readonly clientSecret: string;
  /** A token with these claims, of an hour, signed as this algorithm has it. */
  sign(algorithm: 'RS256' | 'ES256', claims?: Readonly<Record<string, unknown>>): string;
  stop(): Promise<void>;
}

export interface IssuerOptions {
  /** PEM; with them it is reached by TLS only. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** With which it can sign. Default: both. */
  readonly algorithms?: readonly (keyof typeof keys)[];
}

const keys = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
} as const;

/** Keeps nothing: nobody logs in here. */
class Nothing {
  find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

export async function startIssuer({
  tls,
  algorithms = ['RS256', 'ES256'],
}: IssuerOptions = {}): Promise<Issuer> {
  const server = tls ? createSecureServer(tls) : createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${portOf(server)}`;
  const [clientID, clientSecret] = ['holdfast', 'canary-client-secret-0c41'];
  const redirects = ['http://localhost:8250/oidc/callback'];
  const provider = new Provider(url, {
    adapter: Nothing,
    clients: [{ client_id: clientID, client_secret: clientSecret, redirect_uris: redirects }],
    cookies: { keys: ['canary-cookie'] },
    features: { devInteractions: { enabled: false } },
    enabledJWA: { idTokenSigningAlgValues: algorithms },
    clientDefaults: { id_token_signed_response_alg: algorithms[0] },
    jwks: { keys: algorithms.map((alg) => jwk(alg, keys[alg])) },
  });
  server.on('request', provider.callback());
  return {
    url,
    clientID,
    clientSecret,
    sign: (algorithm, claims = {}) => token(algorithm, { iss: url, ...claims }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const jwk = (alg: string, key: KeyObject) => ({
  ...key.export({ format: 'jwk' }),
  alg,
  kid: alg,
  use: 'sig',
});

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function token(algorithm: keyof typeof keys, claims: Readonly<Record<string, unknown>>): string {
  const now = Math.floor(Date.now() / 1_000);
  const text = `${part({ alg: algorithm, typ: 'JWT', kid: algorithm })}.${part({ iat: now, exp: now + 3_600, ...claims })}`;
  const signature = signed('sha256', Buffer.from(text), {
    key: keys[algorithm],
    ...(algorithm === 'ES256' && { dsaEncoding: 'ieee-p1363' as const }),
  });
  return `${text}.${signature.toString('base64url')}`;
}
