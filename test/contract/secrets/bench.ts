// One target of the suite with what its cases need: mounts of their own, tokens with few rights, a directory, an issuer.
import { secretsDialects, type SecretsDialect } from '../../../src/api/dialects.ts';
import type { Capability } from '../../../src/embedded/secrets/store/model.ts';
import { startIssuer, type Issuer } from '../../support/issuer.ts';
import { HttpClient, type Answer } from '../client.ts';
import type { Opened, Target } from './targets.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What is said in two shapes, depending on what it was said to. */
export const multi = (text: string) => `1 error occurred:\n\t* ${text}\n\n`;

/** Status and errors. */
export const said = (answer: Answer): readonly [number, unknown] => [
  answer.status,
  answer.text === '' ? [] : answer.json().errors,
];

const base = 'dc=example,dc=org';
export const entryDN = (name: string): string => `uid=${name},ou=services,${base}`;

export class Bench {
  readonly target: Target;
  readonly dialect: SecretsDialect;
  readonly #run = Math.random().toString(36).slice(2, 8); // a real server may hold what earlier runs left behind
  /** Below `/v1/sys/`: mounts and policies. */
  readonly #made: string[] = [];
  #names = 0;
  #opened: Opened | undefined;
  #issuer: Issuer | undefined;
  #bare: HttpClient | undefined;

  constructor(target: Target) {
    this.target = target;
    this.dialect = secretsDialects[target.dialectName];
  }

  async open(): Promise<void> {
    this.#opened = await this.target.open();
    this.#issuer = await startIssuer();
    this.#bare = new HttpClient(this.#opened.url);
  }

  async close(): Promise<void> {
    for (const path of this.#made) await this.client.delete(`/v1/sys/${path}`);
    await this.#bare?.close();
    await this.#issuer?.stop();
    await this.#opened?.close();
  }

  get client(): HttpClient {
    return opened(this.#opened).client;
  }

  get issuer(): Issuer {
    return opened(this.#issuer);
  }

  bind(dn: string, password: string): Promise<boolean> {
    return opened(this.#opened).bind(dn, password);
  }

  /** A name that nothing else has. */
  fresh(what: string): string {
    this.#names += 1;
    return `${what}-${this.#run}-${this.#names}`;
  }

  /** One request with another token, or none. */
  as(token: string | undefined, method: string, path: string, body?: unknown): Promise<Answer> {
    return opened(this.#bare).send(method, path, {
      ...(token !== undefined && { headers: { [this.dialect.headers.token]: token } }),
      ...(body !== undefined && { body }),
    });
  }

  /** With this authorization header only. */
  bearer(authorization: string, path: string): Promise<Answer> {
    return opened(this.#bare).get(path, { headers: { authorization } });
  }

  /** Path of a new mount, below `/v1/`. @throws where it can't be had */
  async mounted(type: 'ldap' | 'oidc' | 'jwt' | 'keymgmt'): Promise<string> {
    const isAuth = type === 'oidc' || type === 'jwt';
    const name = this.fresh(type);
    const path = `${isAuth ? 'auth' : 'mounts'}/${name}`;
    const answer = await this.client.post(`/v1/sys/${path}`, { type });
    if (answer.status !== 204) throw new Error(`a mount to start from: ${answer.text}`);
    this.#made.push(path);
    return isAuth ? `auth/${name}` : name;
  }

  /** A token with this one policy, besides what every token may unless it is `bare`. */
  async token(rules: Readonly<Record<string, readonly Capability[]>>, bare = false): Promise<string> {
    const name = this.fresh('policy');
    const path = Object.fromEntries(
      Object.entries(rules).map(([at, capabilities]) => [at, { capabilities }]),
    );
    this.#made.push(`policies/acl/${name}`);
    const written = await this.client.put(`/v1/sys/policies/acl/${name}`, {
      policy: JSON.stringify({ path }),
    });
    if (written.status !== 204) throw new Error(`a policy to start from: ${written.text}`);
    const answer = await this.client.post('/v1/auth/token/create', {
      policies: [name],
      ttl: '10m',
      no_default_policy: bare,
    });
    return answer.json().auth.client_token;
  }

  /** What an LDAP engine is told of the directory. */
  ldapConfig(more: Fields = {}): Fields {
    const { directory } = opened(this.#opened);
    return { ...directory, userdn: `ou=services,${base}`, userattr: 'uid', ...more };
  }

  /** A new LDAP engine that knows its directory. */
  async ldap(more: Fields = {}): Promise<string> {
    const mount = await this.mounted('ldap');
    const answer = await this.client.post(`/v1/${mount}/config`, this.ldapConfig(more));
    if (answer.status !== 204) throw new Error(`a configuration to start from: ${answer.text}`);
    return mount;
  }

  roleBody(name: string, more: Fields = {}): Fields {
    return { dn: entryDN(name), username: name, rotation_period: '1h', ...more };
  }

  /** The credential itself, whichever way the dialect wraps it. */
  async credential(mount: string, role: string): Promise<Readonly<Record<string, string>>> {
    const body = (await this.client.get(`/v1/${mount}/static-cred/${role}`)).json();
    return this.dialect.capabilities.wrapsCredentials ? body.data : body;
  }

  /** A field as the dialect calls it. */
  field(name: string): string {
    return this.dialect.fields[name] ?? name;
  }

  /** A value as the dialect calls it. */
  value(field: string, name: string): string {
    return this.dialect.values[field]?.[name] ?? name;
  }
}

function opened<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('not opened');
  return part;
}
