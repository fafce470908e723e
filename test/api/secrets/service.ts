// For tests of the secrets service's client: a clock that a test turns, the client, and a small service with real tokens.
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { GateOptions } from '../../../src/api/effect.ts';
import type { SecretsEffect } from '../../../src/api/routes.ts';
import { Issuers } from '../../../src/api/identity/issuers.ts';
import { SecretsClient } from '../../../src/api/secrets/client.ts';
import type { Clock } from '../../../src/core/time/clock.ts';
import type { Auth, Connection, RequestToken } from '../../../src/core/connection.ts';
import { Secret } from '../../../src/core/secret.ts';
import { connectionTo, gate, never, serve, type Seen, type Served } from '../servers.ts';

/** Stands still until it is turned. */
export class TurnedClock implements Clock {
  #nowMs = 1_700_000_000_000;
  #timers: { readonly atMs: number; readonly fire: () => void }[] = [];

  readonly nowMs = () => this.#nowMs;
  readonly setTimer = (ms: number, fire: () => void) => {
    const timer = { atMs: this.#nowMs + ms, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  };

  /** Milliseconds until each timer that is set. */
  get waiting(): readonly number[] {
    return this.#timers.map(({ atMs }) => atMs - this.#nowMs);
  }

  turn(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { fire } of due) fire();
  }
}

const secretID = 'canary-secret-id-3b77';
const given = 'canary-given-token-91ab';

export const appRole: Auth = {
  is: 'appRole',
  mount: 'approle',
  roleID: 'holdfast',
  secretID: Secret.of('holdfast/approle', '1', `${secretID}\n`),
};
export const token: Auth = { is: 'token', token: Secret.of('holdfast/vault', '1', `${given}\n`) };

export const role = { mount: 'ldap', role: 'shop' };
export const key = 'LDAPStaticRole/shop/shop';
export const rotate: SecretsEffect = { port: 'secrets', op: 'ldap.role.rotate', params: role };

export interface Made {
  readonly client: SecretsClient;
  readonly clock: TurnedClock;
}

/** Random is 0: timers come as early as they may. */
export function secretsClient(
  addresses: readonly string[],
  more: Partial<Connection> = {},
  { requestToken, ...options }: Partial<GateOptions> & { readonly requestToken?: RequestToken } = {},
): Made {
  const clock = new TurnedClock();
  const base = connectionTo(addresses, { service: 'secrets', dialect: 'vault', namespace: '' });
  const client = new SecretsClient(
    { ...base, ...more },
    {
      gate: gate(options),
      clock,
      random: () => 0,
      ...(requestToken && { requestToken }),
      issuers: new Issuers({ gate: gate(options), clock: { nowMs: clock.nowMs, wallMs: clock.nowMs } }),
    },
  );
  onTestFinished(() => client.close());
  return { client, clock };
}

export const secretsJson = (value: unknown, status = 200) =>
  serve((_, response) => {
    response.writeHead(status).end(typeof value === 'string' ? value : JSON.stringify(value));
  });

export const errors = (...texts: readonly string[]) => JSON.stringify({ errors: texts });

/** A service as sessions see it. A test changes its fields to change what it does. */
export class TokenService implements Served {
  /** Tokens that hold now. */
  readonly valid = new Set<string>([given]);
  /** Seconds, of logins and of renewals; the last goes on for ever. */
  leases: number[] = [3600];
  renewable = true;
  /** Answers to everything, while there are any. */
  down: number | undefined;
  /** What even a good token may not do, as the end of a path. */
  denied: readonly string[] = [];
  url = '';
  seen: readonly Seen[] = [];
  #logins = 0;

  static async start(): Promise<TokenService> {
    const made = new TokenService();
    const { url, seen } = await serve((request, response) => made.#answer(request, response));
    made.url = url;
    made.seen = seen;
    return made;
  }

  /** How often a path that ends so was asked. */
  count(end: string): number {
    return this.seen.filter((one) => one.url.endsWith(end)).length;
  }

  #answer({ url, headers, body }: Seen, response: ServerResponse): void {
    const reply = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    const held = String(headers['x-vault-token'] ?? '');
    if (this.down !== undefined) return void reply(this.down, { errors: ['Vault is sealed'] });
    if (url.endsWith('/login')) {
      if (!body.includes(`"${secretID}"`)) return void reply(400, { errors: [`invalid secret id ${body}`] });
      this.#logins += 1;
      const granted = `canary-granted-${this.#logins}`;
      this.valid.add(granted);
      return void reply(200, { auth: this.#grant(granted) });
    }
    const isDenied = !this.valid.has(held) || this.denied.some((end) => url.endsWith(end));
    if (isDenied) return void reply(403, { errors: [`permission denied to ${held}`] });
    if (url.endsWith('/renew-self')) return void reply(200, { auth: this.#grant(held) });
    if (url.endsWith('/lookup-self')) {
      const lookup = { id: held, ttl: this.#lease(), renewable: this.renewable, policies: ['default'] };
      return void reply(200, { data: lookup });
    }
    if (url.endsWith('/revoke-self')) this.valid.delete(held);
    return void reply(200, { data: { dn: 'cn=shop', username: 'shop', rotation_period: 60 } });
  }

  #grant(client_token: string) {
    const policies = ['default', 'holdfast'];
    return { client_token, policies, lease_duration: this.#lease(), renewable: this.renewable };
  }

  #lease(): number {
    const [first = 0, ...others] = this.leases;
    if (others.length > 0) this.leases = others;
    return first;
  }
}

/** A client with a session of its own, and what it talks to. */
export async function started(auth = appRole) {
  const service = await TokenService.start();
  const { client, clock } = secretsClient([service.url], { auth });
  return { service, client, clock, read: () => client.read('ldap.role.read', role, never) };
}
