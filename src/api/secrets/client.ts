// The client of the secrets service: performs the operations of the route table under one session, in each dialect.
import type { Clock } from '../../core/time/clock.ts';
import type { Connection, RequestToken } from '../../core/connection.ts';
import { ApiError, type Outcome } from '../../core/errors.ts';
import type { Rights, Users } from '../../core/kind/permission.ts';
import type { Secret } from '../../core/secret.ts';
import type { EffectGate } from '../effect.ts';
import type { HttpReply } from '../http/answer.ts';
import type { DispatcherOf } from '../http/transport.ts';
import type { Issuers } from '../identity/issuers.ts';
import { pathOf, readDeadlineMs } from '../http/request.ts';
import type { Route } from '../route.ts';
import type { Op, Operations, Page, Reader, ReadOp, SecretsEffect } from '../routes.ts';
import { Calls, type Call } from './calls.ts';
import { decode, errorsIn } from './decode.ts';
import { isDenial, saysAbsent, saysNothingIsDue, type SecretsOp } from './refusals.ts';
import { RightsAsked } from './rights.ts';
import { secretsRoutes } from './routes.ts';
import { Session } from './session.ts';

/** A rotation waits for the directory, 90 s by default (services.md#rotation). */
const writeDeadlineMs = 120_000;

export interface SecretsClientOptions {
  readonly gate: EffectGate;
  readonly clock: Clock;
  /** In [0, 1): spreads renewals. */
  readonly random: () => number;
  /** Default: undici's pool of sockets. */
  readonly dispatcherOf?: DispatcherOf;
  readonly issuers?: Issuers;
  /** Absent: the connection is not declared in a cluster. */
  readonly requestToken?: RequestToken;
}

interface Answered {
  readonly reply: HttpReply;
  readonly token: Secret | undefined;
}

export class SecretsClient implements Reader {
  readonly #calls: Calls;
  readonly #session: Session;
  readonly issuers?: Issuers;
  readonly #rights: RightsAsked;

  constructor(connection: Connection, options: SecretsClientOptions) {
    const { gate, clock, random, dispatcherOf, issuers, requestToken } = options;
    if (issuers) this.issuers = issuers;
    this.#calls = new Calls(connection, gate, dispatcherOf);
    const { token } = connection;
    const auth = connection.auth ?? (token ? { is: 'token' as const, token } : undefined);
    this.#session = new Session({ auth, requestToken, calls: this.#calls, clock, random });
    this.#rights = new RightsAsked(connection.dialect, () => clock.nowMs());
  }

  async read<O extends ReadOp>(
    op: O,
    params: Operations[O]['params'],
    signal: AbortSignal,
  ): Promise<Operations[O]['reply'] | undefined> {
    if (!isSecretsOp(op)) throw new Error(`${op} is not an operation of a secrets service`);
    const { deadlineMs = readDeadlineMs, fields }: Route = secretsRoutes[op];
    const given = new Map(Object.entries(params));
    const body = fields && Object.fromEntries(fields.map((name) => [name, String(given.get(name) ?? '')]));
    const call: Call = { op, params, signal, deadlineMs, ...(body && { body }) };
    const { reply, token } = await this.#answer(call);
    if (saysAbsent(op, reply.status, errorsIn(reply.text)) || this.#calls.lacks(call, reply))
      return undefined;
    const isHealth = op === 'sys.health' && isHealthStatus(reply);
    if (reply.status !== 200 && !isHealth) throw this.#calls.refusal(call, reply, token);
    return decode(op, pathOf(secretsRoutes[op], params).replaceAll(/^\/v1\/|\?.*$/g, ''), reply.text);
  }

  /**
   * The permissions that the token lacks for these calls. Cached for ten minutes, or until the declared objects change.
   * A Secret with a new token makes a new client.
   * @returns `unknown` if the request fails
   */
  async rights(users: Users, signal: AbortSignal): Promise<Rights> {
    return this.#rights.of(users, (paths) => this.#capabilities(paths, signal));
  }

  async #capabilities(
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const op = 'token.capabilities';
    const call: Call = { op, params: {}, body: { paths }, signal, deadlineMs: readDeadlineMs };
    const { reply, token } = await this.#answer(call);
    if (reply.status !== 200) throw this.#calls.refusal(call, reply, token);
    return decode(op, 'sys/capabilities-self', reply.text);
  }

  retryLogin(): void {
    this.#session.retry();
  }

  /** This service neither pages nor blocks. @throws ApiError always */
  page<O extends ReadOp>(op: O): Promise<Page<Operations[O]['reply']> | undefined> {
    return Promise.reject(new ApiError('refused', 'Rejected', `${op}: this service has no pages`));
  }

  /** Performs one mutation. Never throws: a lost answer is `unknown`. */
  async perform(effect: SecretsEffect, key: string, signal: AbortSignal): Promise<Outcome> {
    const { op, params } = effect;
    try {
      const body = 'body' in effect ? { body: { ...effect.body } } : {};
      const call: Call = { op, params, ...body, key, signal, deadlineMs: writeDeadlineMs };
      const { reply, token } = await this.#answer(call);
      if (reply.status >= 200 && reply.status < 300) {
        const warnings = this.#calls.warnings(call, reply, token);
        return { is: 'done', ...(warnings.length > 0 && { warnings }) };
      }
      if (await this.#isGone(call, reply)) return { is: 'done' };
      return failed(this.#calls.refusal(call, reply, token));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return failed(error);
    }
  }

  /** Whether a refused deletion had nothing to delete. */
  async #isGone(call: Call, { status, text }: HttpReply): Promise<boolean> {
    const { op, params, signal } = call;
    if (secretsRoutes[op].method !== 'DELETE') return false;
    if (saysAbsent(op, status, errorsIn(text))) return true;
    if (!saysNothingIsDue(op, status, text)) return false;
    const look: Call = { op: 'ldap.role.read', params, signal, deadlineMs: readDeadlineMs };
    try {
      const { reply } = await this.#answer(look);
      return saysAbsent(look.op, reply.status, errorsIn(reply.text));
    } catch (error) {
      if (error instanceof ApiError) return false; // the deletion's own error is reported
      throw error;
    }
  }

  /** Sends the call under the session, and again if its token was lost: a denied call had no effect. */
  async #answer(call: Call): Promise<Answered> {
    const { acl }: Route = secretsRoutes[call.op];
    if (acl === 'none') return { reply: await this.#send(call, undefined), token: undefined };
    const token = await this.#session.token(call.signal);
    const reply = await this.#send(call, token);
    if (token === undefined || !isDenial(reply.status, reply.text)) return { reply, token };
    const fresh = await this.#session.afterDenial(token, call.signal);
    return fresh === undefined ? { reply, token } : { reply: await this.#send(call, fresh), token: fresh };
  }

  #send(call: Call, token: Secret | undefined): Promise<HttpReply> {
    const { mutates }: Route = secretsRoutes[call.op];
    return mutates === false ? this.#calls.ask(call, token) : this.#calls.send(call, token);
  }

  async close(): Promise<void> {
    await this.#session.close();
    await this.#calls.close();
  }
}

const isSecretsOp = (op: Op): op is SecretsOp => Object.hasOwn(secretsRoutes, op);

const failed = (error: ApiError): Outcome => ({ is: error.mayHaveHadEffect ? 'unknown' : 'rejected', error });

/** Standby, sealed, not initialised etc. are states, not errors (services.md#health-and-availability). */
const healthStatuses = new Set([200, 429, 472, 473, 474, 501, 503, 530]);
const isHealthStatus = ({ status, text }: HttpReply): boolean =>
  healthStatuses.has(status) && text.includes('"sealed"');
