// An embedded secrets service with what tests need around it: a client with the root's token, a clock that stands still.
import { secretsDialects, type SecretsDialectName } from '../../../src/api/dialects.ts';
import {
  startSecrets,
  type EmbeddedSecrets,
  type SecretsServiceOptions,
} from '../../../src/embedded/secrets/server.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { HttpClient, type Answer } from '../../contract/client.ts';
import { ManualClock } from '../manual-clock.ts';

export const dialectNames: readonly SecretsDialectName[] = ['secrets', 'vault'];
export const rootToken = 'canary-root-token-7d1f';

export interface Running {
  readonly dialect: SecretsDialectName;
  readonly server: EmbeddedSecrets;
  /** With the root's token. */
  readonly client: HttpClient;
  readonly clock: ManualClock;
  /** One request with another token, or none. */
  readonly as: (token: string | undefined, method: string, path: string, body?: unknown) => Promise<Answer>;
  readonly bind: (dn: string, password: string) => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

export async function running(
  options: Partial<SecretsServiceOptions> = {},
  clock = new ManualClock(),
): Promise<Running> {
  const { dialect = 'vault' } = options;
  const server = await startSecrets({ dialect, clock, token: rootToken, ...options });
  const header = secretsDialects[dialect].headers.token;
  const client = new HttpClient(server.url, { [header]: rootToken });
  const bare = new HttpClient(server.url);
  return {
    dialect,
    server,
    client,
    clock,
    as: (token, method, path, body) =>
      bare.send(method, path, {
        ...(token !== undefined && { headers: { [header]: token } }),
        ...(body !== undefined && { body }),
      }),
    bind: async (dn, password) =>
      (await client.post('/setup/directory/bind', { dn, password })).json().ok === true,
    async stop() {
      await client.close();
      await bare.close();
      await server.stop();
    },
  };
}

export const entryDN = (name: string): string => `uid=${name},ou=services,dc=example,dc=org`;

/** On the built-in directory. */
export const configBody = (more: object = {}) => ({
  binddn: embeddedBindDN,
  bindpass: embeddedBindPassword,
  url: 'ldap://embedded',
  userdn: 'ou=services,dc=example,dc=org',
  userattr: 'uid',
  ...more,
});

export const roleBody = (name: string, more: object = {}) => ({
  dn: entryDN(name),
  username: name,
  rotation_period: '1h',
  ...more,
});

/** Configured, with one role `shop`. */
export async function withRole(options: Partial<SecretsServiceOptions> = {}, more: object = {}) {
  const here = await running(options);
  await here.client.post('/v1/ldap/config', configBody());
  await here.client.post('/v1/ldap/static-role/shop', roleBody('shop', more));
  return here;
}

/** The credential itself, whichever way the dialect wraps it. */
export async function credential(here: Running, role = 'shop') {
  const body = (await here.client.get(`/v1/ldap/static-cred/${role}`)).json();
  return here.dialect === 'vault' ? body.data : body;
}
