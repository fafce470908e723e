// Policies and tokens, made by the real API: the same ones on every target.
import type { Bench } from './bench.ts';
import type { Answer, Sent } from './client.ts';
import type { Rules } from './rules.ts';

export interface Token {
  readonly AccessorID: string;
  readonly SecretID: string;
  readonly Name: string;
  readonly Policies: readonly string[];
}

export class Tokens {
  readonly #bench: Bench;
  readonly #policies: string[] = [];
  readonly #tokens: string[] = [];

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  async policy(rules: Rules, Name = this.#bench.fresh('policy')): Promise<string> {
    const path = `/v1/acl/policy/${Name}`;
    const answer = await this.#bench.client.put(path, { Name, Rules: JSON.stringify(rules) });
    if (answer.status !== 200) throw new Error(`a policy: ${answer.text}`);
    return this.known(Name);
  }

  /** A policy that was made elsewhere is forgotten with the others. */
  known(name: string): string {
    this.#policies.push(name);
    return name;
  }

  async with(rules: Rules): Promise<Token> {
    return this.of([await this.policy(rules)]);
  }

  async of(policies: readonly string[], more: object = {}): Promise<Token> {
    const body = { Name: this.#bench.fresh('token'), Type: 'client', Policies: policies, ...more };
    const answer = await this.#bench.client.put('/v1/acl/token', body);
    if (answer.status !== 200) throw new Error(`a token: ${answer.text}`);
    const token: Token = answer.json();
    this.#tokens.push(token.AccessorID);
    return token;
  }

  /** A request with that token; none: anonymously. */
  send(
    token: Pick<Token, 'SecretID'> | undefined,
    method: string,
    path: string,
    sent: Sent = {},
  ): Promise<Answer> {
    const headers = { ...sent.headers, [this.#bench.dialect.headers.token]: token?.SecretID ?? '' };
    return this.#bench.client.send(method, path, { ...sent, headers });
  }

  get(token: Pick<Token, 'SecretID'> | undefined, path: string): Promise<Answer> {
    return this.send(token, 'GET', path);
  }

  /** A real server outlives the tests. */
  async forget(): Promise<void> {
    for (const id of this.#tokens.splice(0)) await this.#bench.client.delete(`/v1/acl/token/${id}`);
    for (const name of this.#policies.splice(0)) await this.#bench.client.delete(`/v1/acl/policy/${name}`);
  }

  /** A namespace of its own. */
  async namespace(): Promise<string> {
    const Name = this.#bench.fresh('team');
    const { client, target } = this.#bench;
    if (target.embedded) await client.post('/setup/namespaces', { Name });
    else await client.put(`/v1/namespace/${Name}`, { Name });
    return Name;
  }
}
