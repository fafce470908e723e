// What the contract suite of the secrets service runs on: the embedded one in each dialect, or a real server when
// SECRETS_ADDR is set (with SECRETS_TOKEN, which may do everything). What a real one lacks is found out by asking it.
import { secretsDialects, type SecretsDialectName } from '../../../src/api/dialects.ts';
import { startSecrets } from '../../../src/embedded/secrets/server.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { hasSlapd, startSlapd } from '../../support/slapd.ts';
import { HttpClient } from '../client.ts';

export interface Target {
  readonly name: string;
  readonly dialectName: SecretsDialectName;
  /** It has the set-up API, and is ours to break. */
  readonly embedded: boolean;
  /** There is a directory for the LDAP engine. */
  readonly hasDirectory: boolean;
  /** Key management can be mounted. */
  readonly hasKMS: boolean;
  open(): Promise<Opened>;
}

/** What an LDAP engine is configured with. */
export interface DirectoryAccess {
  readonly url: string;
  readonly binddn: string;
  readonly bindpass: string;
}

export interface Opened {
  readonly url: string;
  /** With the token. */
  readonly client: HttpClient;
  readonly directory: DirectoryAccess | undefined;
  /** Whether the directory accepts a name and a password. */
  bind(dn: string, password: string): Promise<boolean>;
  close(): Promise<void>;
}

function embedded(dialectName: SecretsDialectName): Target {
  const token = 'root-of-the-embedded-secrets-service';
  return {
    name: `embedded, ${dialectName}`,
    dialectName,
    embedded: true,
    hasDirectory: true,
    hasKMS: true,
    async open() {
      const server = await startSecrets({ dialect: dialectName, token });
      const client = new HttpClient(server.url, { [secretsDialects[dialectName].headers.token]: token });
      return {
        url: server.url,
        client,
        directory: {
          url: 'ldap://embedded',
          binddn: embeddedBindDN,
          bindpass: embeddedBindPassword,
        },
        bind: async (dn, password) =>
          (await client.post('/setup/directory/bind', { dn, password })).json().ok === true,
        async close() {
          await client.close();
          await server.stop();
        },
      };
    },
  };
}

async function real(url: string, token: string): Promise<Target> {
  const client = new HttpClient(url, { [secretsDialects.vault.headers.token]: token });
  const probe = `keymgmt-probe-${Math.random().toString(36).slice(2, 8)}`;
  const hasKMS = (await client.post(`/v1/sys/mounts/${probe}`, { type: 'keymgmt' })).status === 204;
  if (hasKMS) await client.delete(`/v1/sys/mounts/${probe}`);
  await client.close();
  return {
    name: url,
    dialectName: 'vault',
    embedded: false,
    hasDirectory: hasSlapd,
    hasKMS,
    async open() {
      const own = new HttpClient(url, { [secretsDialects.vault.headers.token]: token });
      const slapd = hasSlapd ? await startSlapd() : undefined;
      return {
        url,
        client: own,
        directory: slapd && { url: slapd.url, binddn: slapd.bindDN, bindpass: slapd.bindPassword },
        bind: async (dn, password) => (await slapd?.bind(dn, password)) ?? false,
        async close() {
          await own.close();
          await slapd?.stop();
        },
      };
    },
  };
}

const { SECRETS_ADDR, SECRETS_TOKEN = '' } = process.env;

export const targets: readonly Target[] =
  SECRETS_ADDR === undefined
    ? [embedded('secrets'), embedded('vault')]
    : [await real(SECRETS_ADDR, SECRETS_TOKEN)];
