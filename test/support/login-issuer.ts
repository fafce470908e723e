// An identity provider that people log in to (oidc-provider with its forms), on the loopback of this process. Tests say what is
// wrong with it.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { Provider } from 'oidc-provider';
import { portOf } from './port.ts';

export type Claims = Readonly<Record<string, unknown>>;
type Algorithm = 'RS256' | 'ES256' | 'PS256';

export interface LoginIssuerOptions {
  /** Where the client may be sent back to. */
  readonly redirects: readonly string[];
  /** By login name: each scope of the same name tells its claim. Default: shop, in two groups. */
  readonly users?: Readonly<Record<string, Claims>>;
  /** With which ID tokens are signed. Default: RS256. */
  readonly algorithm?: Algorithm;
  /** PEM; with them it is reached by TLS only. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The client may ask for a token of its own. */
  readonly clientCredentials?: boolean;
  /** Answers instead of it, or lets it answer (`false`). */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Scopes that the client may ask for, separated by spaces. Default: all. */
  readonly clientScope?: string;
}

export interface LoginIssuer {
  readonly url: string;
  readonly clientID: string;
  readonly clientSecret: string;
  stop(): Promise<void>;
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

const shop: Claims = { email: 'shop@example.org', team: 'till', groups: ['sellers', 'openers'] };

export async function startLoginIssuer(options: LoginIssuerOptions): Promise<LoginIssuer> {
  const { redirects, users = { shop }, algorithm = 'RS256', tls, instead = () => false } = options;
  const { clientCredentials = false, clientScope } = options;
  const server = tls ? createSecureServer(tls) : createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${portOf(server)}`;
  const [clientID, clientSecret] = ['holdfast', 'canary-client-secret-5d20'];
  const provider = new Provider(url, {
    clients: [
      {
        client_id: clientID,
        client_secret: clientSecret,
        redirect_uris: redirects,
        grant_types: ['authorization_code', ...(clientCredentials ? ['client_credentials'] : [])],
        id_token_signed_response_alg: algorithm,
        ...(clientScope !== undefined && { scope: clientScope }),
      },
    ],
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: { openid: ['sub'], profile: ['team'], email: ['email'], groups: ['groups'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...users[id] }),
    }),
    ttl: {
      Interaction: 600,
      Session: 600,
      Grant: 600,
      AccessToken: 600,
      IdToken: 600,
      ClientCredentials: 600,
    },
    cookies: { keys: ['canary-cookie'] },
    features: { devInteractions: { enabled: true }, clientCredentials: { enabled: clientCredentials } },
    enabledJWA: { idTokenSigningAlgValues: [algorithm] },
    jwks: { keys: [{ ...(algorithm === 'ES256' ? ec : rsa), alg: algorithm, kid: algorithm, use: 'sig' }] },
  });
  const answer = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!instead(request, response)) answer(request, response);
  });
  return {
    url,
    clientID,
    clientSecret,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
