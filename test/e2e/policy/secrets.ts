// The secrets service of one life under a policy: the embedded one of that life, or the real one at SECRETS_ADDR (with
// SECRETS_TOKEN, which may do everything), where mounts, namespaces and tokens go with the life.
import type { SecretsDialectName } from '../../../src/api/dialects.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { startIssuer } from '../../support/issuer.ts';
import { secret, type Spec } from '../../support/manifests.ts';
import {
  kmsProvider,
  kmsSecret,
  ldapConfig,
  oidcConfig,
  oidcRole,
  secretsConnection,
  SecretsService,
  serveSecrets,
  staticRole,
  type DirectoryAt,
} from '../../support/secrets.ts';
import { startSlapd } from '../../support/slapd.ts';

export type PathRules = Readonly<Record<string, { readonly capabilities: readonly string[] }>>;

const { SECRETS_ADDR, SECRETS_TOKEN = '' } = process.env;
export const realSecrets = SECRETS_ADDR;

const run = Math.random().toString(36).slice(2, 8); // a real server may hold what earlier runs left behind
const [ldap, oidc] = [`ldap-${run}`, `oidc-${run}`];
let namespaces = 0;

/** What the service works with. */
interface Around {
  readonly directory: DirectoryAt;
  readonly discoveryURL: string;
  readonly hasKMS: boolean;
  stop(): Promise<void>;
}

const embedded: Around = {
  directory: { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword },
  discoveryURL: 'https://embedded/staff',
  hasKMS: true,
  stop: () => Promise.resolve(),
};

async function around(): Promise<Around> {
  const [slapd, issuer] = [await startSlapd(), await startIssuer()];
  return {
    directory: slapd,
    discoveryURL: issuer.url,
    hasKMS: false, // Vault's Enterprise edition only
    stop: async () => {
      await slapd.stop();
      await issuer.stop();
    },
  };
}

export class SecretsOfLife {
  readonly #service: SecretsService;
  readonly #around: Around;
  /** Empty, or with a slash at its end. */
  readonly #namespace: string;

  constructor(service: SecretsService, surroundings: Around, namespace: string) {
    this.#service = service;
    this.#around = surroundings;
    this.#namespace = namespace;
  }

  static async open(dialect: SecretsDialectName | 'real', isNamespaced: boolean): Promise<SecretsOfLife> {
    const namespace = isNamespaced ? `team-${run}-${namespaces++}/` : '';
    const [service, surroundings] =
      dialect === 'real'
        ? [
            new SecretsService(SECRETS_ADDR ?? '', 'vault', () => Promise.resolve(), SECRETS_TOKEN),
            await around(),
          ]
        : [await serveSecrets(dialect), embedded];
    const life = new SecretsOfLife(service, surroundings, namespace);
    if (isNamespaced) await service.call('POST', `/v1/sys/namespaces/${namespace.slice(0, -1)}`, {});
    await life.#call('POST', `sys/mounts/${ldap}`, { type: 'ldap' });
    await life.#call('POST', `sys/auth/${oidc}`, { type: 'oidc' });
    if (surroundings.hasKMS && isNamespaced)
      await life.#call('POST', 'sys/mounts/keymgmt', { type: 'keymgmt' });
    return life;
  }

  #call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
    return this.#service.call(method, `/v1/${this.#namespace}${path}`, body);
  }

  connection(token: string): readonly Spec[] {
    const namespace = this.#namespace.slice(0, -1);
    return secretsConnection(this.#service, namespace === '' ? {} : { namespace }, token);
  }

  declared(turn: 'a' | 'b'): { readonly stays: readonly Spec[]; readonly leaves: readonly Spec[] } {
    const { directory, discoveryURL, hasKMS } = this.#around;
    const kms = [kmsProvider({ deletionPolicy: 'Delete' }), kmsSecret('t', 'c', `canary-kms-policy-${turn}`)];
    const seconds = { a: '20s', b: '25s' }[turn];
    return {
      stays: [
        oidcConfig({ mount: oidc, discoveryURL }),
        secret('shop', 'staff', { 'client-secret': `canary-client-policy-${turn}` }),
      ],
      leaves: [
        ...ldapConfig(directory, { mount: ldap, requestTimeout: seconds, deletionPolicy: 'Delete' }),
        staticRole(
          { rotationPeriod: { a: '24h', b: '12h' }[turn], deletionPolicy: 'Delete' },
          { 'holdfast.dev/rotate': turn },
        ),
        oidcRole({ groupsClaim: `groups-${turn}` }),
        ...(hasKMS ? kms : []),
      ],
    };
  }

  /** A token with these rights, and with those that every token has. */
  async token(path: PathRules): Promise<string> {
    await this.#call('POST', `sys/policies/acl/${ldap}`, { policy: JSON.stringify({ path }) });
    const made = await this.#call<{ readonly auth: { readonly client_token: string } }>(
      'POST',
      'auth/token/create',
      { policies: [ldap], ttl: '1h' },
    );
    return made.auth.client_token;
  }

  /** Somebody changes a role by hand, and a field of each configuration. */
  async disturb(): Promise<void> {
    await this.#call('POST', `auth/${oidc}/role/staff`, { user_claim: 'by-hand' });
    await this.#call('POST', `${ldap}/config`, { binddn: 'cn=by-hand' });
  }

  /** What `disturb` changes, as it is now. */
  async seen(): Promise<Readonly<Record<string, unknown>>> {
    const read = async (path: string) =>
      (await this.#call<{ readonly data: Readonly<Record<string, unknown>> }>('GET', path)).data;
    const [role, config] = [await read(`auth/${oidc}/role/staff`), await read(`${ldap}/config`)];
    return { userClaim: role['user_claim'], bindDN: config['binddn'] };
  }

  get wanted(): Readonly<Record<string, unknown>> {
    return { userClaim: 'sub', bindDN: this.#around.directory.bindDN };
  }

  /** What was taken away and is still there. */
  async remains(): Promise<readonly string[]> {
    const there: string[] = [];
    for (const path of [`auth/${oidc}/role/staff`, `${ldap}/static-role/shop`, `${ldap}/config`]) {
      await this.#call('GET', path).then(
        () => there.push(path),
        () => undefined,
      );
    }
    return there;
  }

  async close(): Promise<void> {
    await this.#call('DELETE', `sys/mounts/${ldap}`);
    await this.#call('DELETE', `sys/auth/${oidc}`);
    await this.#call('DELETE', `sys/policies/acl/${ldap}`);
    if (this.#namespace !== '') {
      await this.#service.call('DELETE', `/v1/sys/namespaces/${this.#namespace.slice(0, -1)}`);
    }
    await this.#around.stop();
  }
}
