// Sends one call to the secrets service: route, dialect, headers, limits. Used by sessions and the client.
import type { Connection } from '../../core/connection.ts';
import { ApiError } from '../../core/errors.ts';
import { encode, type Secret, type Sealed } from '../../core/secret.ts';
import { lowerSecrets, secretsDialect, type SecretsDialect } from '../dialects.ts';
import type { HttpReply } from '../http/answer.ts';
import { scrubbed } from '../redaction/echoes.ts';
import type { EffectGate } from '../effect.ts';
import { HttpTransport, type DispatcherOf } from '../http/transport.ts';
import {
  header,
  headerValue,
  oneLine,
  pathOf,
  persistently,
  retryAfterMs,
  secretsIn,
} from '../http/request.ts';
import type { Route } from '../route.ts';
import { errorsIn, warningsIn } from './decode.ts';
import { asDocumented } from './forms.ts';
import { refusal, saysUndocumented, type SecretsOp } from './refusals.ts';
import { secretsRoutes, type SecretsOperations } from './routes.ts';

/** Leaves room for other tools, as in the scheduler's client. */
const connectionsMax = 56;

export interface Call {
  readonly op: SecretsOp;
  readonly params: SecretsOperations[SecretsOp]['params'];
  readonly body?: { readonly [field: string]: Sealed | undefined };
  readonly key?: string;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

export class Calls {
  readonly #dialect: SecretsDialect;
  readonly #namespace: string;
  readonly #transport: HttpTransport;

  constructor(
    { dialect, namespace, addresses, socketPath, tls, limits }: Connection,
    gate: EffectGate,
    dispatcherOf?: DispatcherOf,
  ) {
    this.#dialect = secretsDialect(dialect);
    this.#namespace = namespace;
    this.#transport = new HttpTransport({
      addresses,
      gate,
      connections: Math.min(limits.maxConcurrent, connectionsMax),
      ...(socketPath !== undefined && { socketPath }),
      ...(tls && { tls }),
      ...(dispatcherOf && { dispatcherOf }),
    });
  }

  /** Sends the call once, and returns an answer of any status. @throws ApiError if there is no complete answer */
  send(call: Call, token: Secret | undefined): Promise<HttpReply> {
    const { op, params, key, signal, deadlineMs } = call;
    const route: Route = secretsRoutes[op];
    const body = call.body && encode(this.#written(call.body));
    return this.#transport.request({
      method: route.method,
      path: pathOf(route, params),
      signal,
      deadlineMs,
      info: { port: 'secrets', op, mutates: route.mutates, ...(key !== undefined && { key }) },
      headers: this.#headers(op, token, body !== undefined),
      ...(body !== undefined && { body }),
    });
  }

  #written(body: NonNullable<Call['body']>): Sealed {
    const lowered = lowerSecrets(this.#dialect, body);
    return this.#dialect.capabilities.documentAlone ? asDocumented(lowered) : lowered;
  }

  /** As `send`, with retries if the connection breaks: only for calls that are safe to repeat. @throws ApiError */
  ask(call: Call, token: Secret | undefined): Promise<HttpReply> {
    return persistently(() => this.send(call, token), call.signal);
  }

  #headers(op: SecretsOp, token: Secret | undefined, hasBody: boolean): Readonly<Record<string, string>> {
    const { headers } = this.#dialect;
    // Health belongs to the service, not to a namespace (services.md#health-and-availability).
    const isNamed = this.#namespace !== '' && op !== 'sys.health';
    if (isNamed && !/^[\x21-\x7e]+$/.test(this.#namespace)) {
      throw new ApiError('refused', 'Rejected', `${op}: the namespace can't be sent as a header`);
    }
    return {
      [headers.request]: 'true',
      ...(isNamed && { [headers.namespace]: this.#namespace }),
      ...(token && secretsRoutes[op].acl !== 'none' && { [headers.token]: headerValue(token) }),
      ...(hasBody && { 'content-type': 'application/json' }),
    };
  }

  /** The error for an unsuccessful answer, without the secrets of the request: services may quote requests. */
  refusal(call: Call, reply: HttpReply, token: Secret | undefined): ApiError {
    const { op, params } = call;
    const text = errorsIn(reply.text)?.join('; ') ?? reply.text;
    return refusal({
      op,
      mount: 'mount' in params ? params.mount : undefined,
      namespace: this.#namespace,
      status: reply.status,
      text,
      shown: this.#scrubbed(call, token, text),
      retryAfterMs: retryAfterMs(reply),
      location: this.#scrubbed(call, token, header(reply, 'location') ?? ''),
    });
  }

  /** Whether the service says that it has no such endpoint, as one may that has those of the document only. */
  lacks({ op }: Call, { status, text }: HttpReply): boolean {
    return this.#dialect.capabilities.documentAlone && saysUndocumented(op, status, text);
  }

  warnings(call: Call, reply: HttpReply, token: Secret | undefined): readonly string[] {
    return warningsIn(reply.text).map((text) => oneLine(this.#scrubbed(call, token, text)));
  }

  #scrubbed(call: Call, token: Secret | undefined, text: string): string {
    return scrubbed(text, [...(token ? [token] : []), ...(call.body ? secretsIn(call.body) : [])]);
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }
}
