// The embedded secrets service in this process, what it says itself, and manifests of what is declared on it.
import { request } from 'undici';
import { onTestFinished } from 'vitest';
import { secretsDialects, type SecretsDialectName } from '../../src/api/dialects.ts';
import { startSecrets, type SecretsServiceOptions } from '../../src/embedded/secrets/server.ts';
import type { Counters } from '../../src/embedded/secrets/fixtures/counters.ts';
import { secret, type Spec } from './manifests.ts';

/** Everything may be done with it. */
const rootToken = 'canary-root-token-42d1';

/** It goes with the test. */
export async function serveSecrets(
  dialect: SecretsDialectName = 'vault',
  more: Partial<SecretsServiceOptions> = {},
): Promise<SecretsService> {
  const server = await startSecrets({ dialect, token: rootToken, ...more });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= server.stop());
  onTestFinished(stop);
  return new SecretsService(server.url, dialect, stop);
}

export class SecretsService {
  readonly url: string;
  readonly dialect: SecretsDialectName;
  readonly stop: () => Promise<void>;
  readonly #token: string;

  constructor(url: string, dialect: SecretsDialectName, stop: () => Promise<void>, rootsToken = rootToken) {
    this.#token = rootsToken;
    this.url = url;
    this.dialect = dialect;
    this.stop = stop;
  }

  async call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
    const { token } = secretsDialects[this.dialect].headers;
    const reply = await request(`${this.url}${path}`, {
      method,
      headers: { [token]: this.#token },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
    // oxlint-disable-next-line no-unsafe-type-assertion -- the embedded service's word
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  counters(): Promise<Counters> {
    return this.call('GET', '/setup/counters');
  }

  resetCounters(): Promise<void> {
    return this.call('POST', '/setup/counters/reset', {});
  }

  /** How often the role's password was changed. */
  async rotations(role: string): Promise<number> {
    return (await this.counters()).rotations[`ldap/${role}`] ?? 0;
  }

  /** Whether the directory in the service takes it. */
  async binds(dn: string, password: string): Promise<boolean> {
    return (await this.call<{ readonly ok: boolean }>('POST', '/setup/directory/bind', { dn, password })).ok;
  }
}

const apiVersion = 'holdfast.dev/v1alpha1';

/** A connection that everybody may use, with its token; its name is `secrets`. */
export const secretsConnection = (
  { url, dialect }: Pick<SecretsService, 'url' | 'dialect'>,
  more: Spec = {},
  token = rootToken,
): readonly Spec[] => [
  {
    apiVersion,
    kind: 'SecretsConnection',
    metadata: { name: 'secrets' },
    spec: {
      addresses: [url],
      dialect,
      auth: { tokenSecretRef: { namespace: 'system', name: 'secrets', key: 'token' } },
      access: [{ namespaces: ['*'] }],
      limits: { deletions: { perHour: 1e6, percent: 100 } },
      backendID: 'wherever-it-listens',
      ...more,
    },
  },
  secret('system', 'secrets', { token }),
];

export interface DirectoryAt {
  readonly url: string;
  readonly bindDN: string;
  readonly bindPassword: string;
}

/** The engine at `ldap`, with its bind password; its name is `directory`. */
export const ldapConfig = ({ url, bindDN, bindPassword }: DirectoryAt, more: Spec = {}): readonly Spec[] => [
  {
    apiVersion,
    kind: 'LDAPConfig',
    metadata: { namespace: 'shop', name: 'directory' },
    spec: {
      connectionRef: { name: 'secrets' },
      mount: 'ldap',
      bindDN,
      bindPasswordSecretRef: { name: 'directory', key: 'password' },
      urls: [url],
      ...more,
    },
  },
  secret('shop', 'directory', { password: bindPassword }),
];

/** A role for `uid=shop,…` that publishes its password as `shop-login`, unless `spec` says otherwise. */
export const staticRole = (spec: Spec = {}, annotations: Readonly<Record<string, string>> = {}): Spec => ({
  apiVersion,
  kind: 'LDAPStaticRole',
  metadata: { namespace: 'shop', name: 'shop', annotations },
  spec: {
    configRef: { name: 'directory' },
    username: 'shop',
    dn: 'uid=shop,ou=services,dc=example,dc=org',
    rotationPeriod: '24h',
    onCreate: 'Rotate',
    output: { secretName: 'shop-login' },
    ...spec,
  },
});

/** The method at `oidc`, with the embedded issuer; its name is `staff`. */
export const oidcConfig = (spec: Spec = {}): Spec => ({
  apiVersion,
  kind: 'OIDCConfig',
  metadata: { namespace: 'shop', name: 'staff' },
  spec: {
    connectionRef: { name: 'secrets' },
    mount: 'oidc',
    discoveryURL: 'https://embedded/staff',
    clientID: 'holdfast',
    clientSecretSecretRef: { name: 'staff', key: 'client-secret' },
    ...spec,
  },
});

/** A provider of the engine at `keymgmt`; its name is `invoices`. `kmsSecret` is the Secret with its credentials. */
export const kmsProvider = (spec: Spec = {}): Spec => ({
  apiVersion,
  kind: 'KMSProvider',
  metadata: { namespace: 'shop', name: 'invoices' },
  spec: {
    connectionRef: { name: 'secrets' },
    mount: 'keymgmt',
    provider: 'cloud_keystore',
    keyCollection: 'invoices-keys',
    credentials: {
      tenantIDSecretRef: { name: 'invoices', key: 'tenant' },
      clientIDSecretRef: { name: 'invoices', key: 'client' },
      clientSecretSecretRef: { name: 'invoices', key: 'secret' },
    },
    ...spec,
  },
});

export const kmsSecret = (tenant: string, client: string, clientSecret: string): Spec =>
  secret('shop', 'invoices', { tenant, client, secret: clientSecret });

/** A role of that method, with which the command line can log in; its name is `staff`. */
export const oidcRole = (spec: Spec = {}): Spec => ({
  apiVersion,
  kind: 'OIDCRole',
  metadata: { namespace: 'shop', name: 'staff' },
  spec: {
    configRef: { name: 'staff' },
    userClaim: 'sub',
    allowedRedirectURIs: ['http://localhost:8250/oidc/callback'],
    ...spec,
  },
});
