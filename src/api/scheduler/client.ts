// The client of the scheduler: performs the operations of the route table, in each dialect.
import type { EventOptions, Subscription, StreamNotice } from './subscription.ts';
import type { Connection } from '../../core/connection.ts';
import { ApiError, type Outcome } from '../../core/errors.ts';
import { encode } from '../../core/secret.ts';
import type { HttpReply } from '../http/answer.ts';
import { lower, schedulerDialect, type SchedulerDialect } from '../dialects.ts';
import { scrubbed } from '../redaction/echoes.ts';
import type { EffectGate } from '../effect.ts';
import { Slots } from '../http/slots.ts';
import { transportError } from '../http/transport-error.ts';
import { HttpTransport, type DispatcherOf, type HttpStream } from '../http/transport.ts';
import {
  header,
  headerValue,
  pathOf,
  persistently,
  readDeadlineMs,
  retryAfterMs,
  secretsIn,
} from '../http/request.ts';
import {
  routes,
  type SchedulerEffect,
  type Op,
  type Operations,
  type Page,
  type Reader,
  type ReadOp,
  type SignalCall,
  type Urgent,
  type WriteOp,
} from '../routes.ts';
import type { Route } from '../route.ts';
import { permissionsFor } from '../permissions.ts';
import { eventsOf } from './events.ts';
import { secretsHeader } from './csi-secrets.ts';
import { answerOf, decode } from './decode.ts';
import { DiskNotes } from './disks.ts';
import { refusal, saysAbsent, saysNoSnapshot } from './refusals.ts';

/** Writes wait for plugins, which are slow (services.md#plugins). */
const writeDeadlineMs = 300_000;
/**
 * Services allow a hundred connections per client (services.md#connection-limit). This leaves room for other tools, and
 * for commands (exec.ts).
 */
const workConnectionsMax = 32;
/**
 * Sockets for calls that freeze, so that these don't wait behind calls that wait for plugins, and as many for those that thaw. The
 * time of a call begins once it has one: those that hang would use up the time of those that wait.
 */
const urgentConnections = 4;
/** Sockets for blocking queries, apart from the others, and as many again for event streams. */
const blockingConnections = 4;
/** The service sends a heartbeat every 30 s (services.md#event-stream). */
const silenceMs = 75_000;

interface Asked {
  readonly op: Op | 'event.stream';
  readonly params: Operations[Op]['params'];
  readonly body?: Operations[WriteOp]['body'];
}

interface Sent {
  readonly op: Op;
  readonly params: Operations[Op]['params'];
  readonly body?: string;
  readonly key?: string;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

export class SchedulerClient implements Reader {
  readonly disks = new DiskNotes();
  readonly #dialect: SchedulerDialect;
  readonly #connection: Connection;
  readonly #work: HttpTransport;
  readonly #urgent: Readonly<Record<Urgent, HttpTransport>>;
  readonly #turns = { freeze: new Slots(urgentConnections), thaw: new Slots(urgentConnections) };
  readonly #watch: HttpTransport;
  readonly #streams: HttpTransport;
  #listening: 'live' | 'denied' | undefined;

  constructor(connection: Connection, gate: EffectGate, dispatcherOf?: DispatcherOf) {
    this.#connection = connection;
    this.#dialect = schedulerDialect(connection.dialect);
    const { addresses, socketPath, tls, limits } = connection;
    const common = {
      addresses,
      gate,
      ...(socketPath !== undefined && { socketPath }),
      ...(tls && { tls }),
      ...(dispatcherOf && { dispatcherOf }),
    };
    this.#work = new HttpTransport({
      ...common,
      connections: Math.min(limits.maxConcurrent, workConnectionsMax),
    });
    const urgent = () => new HttpTransport({ ...common, connections: urgentConnections });
    this.#urgent = { freeze: urgent(), thaw: urgent() };
    this.#watch = new HttpTransport({ ...common, connections: blockingConnections });
    this.#streams = new HttpTransport({ ...common, connections: blockingConnections, silenceMs });
  }

  async read<O extends ReadOp>(
    op: O,
    params: Operations[O]['params'],
    signal: AbortSignal,
  ): Promise<Operations[O]['reply'] | undefined> {
    return (await this.page(op, params, signal))?.reply;
  }

  async page<O extends ReadOp>(
    op: O,
    params: Operations[O]['params'],
    signal: AbortSignal,
  ): Promise<Page<Operations[O]['reply']> | undefined> {
    const waitMs = 'wait' in params && typeof params.wait === 'number' ? params.wait * 1000 : 0;
    const { deadlineMs: ownMs = readDeadlineMs }: Route = routes[op];
    const deadlineMs = ownMs + (waitMs * 17) / 16; // the server adds up to a sixteenth of `wait`
    const transport = waitMs > 0 ? this.#watch : this.#work;
    const send = () => this.#send(transport, { op, params, signal, deadlineMs });
    const reply = await persistently(send, signal);
    if (
      reply.status === 404 &&
      (header(reply, this.#dialect.headers.index) !== undefined || saysAbsent(reply.text))
    ) {
      return undefined;
    }
    if (reply.status !== 200) throw this.#refusal({ op, params }, reply);
    const { headers } = this.#dialect;
    const where = 'id' in params ? `${op} ${params.id}` : op;
    const { reply: answer, nextToken } = decode(op, where, reply.text);
    return {
      reply: answer,
      index: indexIn(header(reply, headers.index)),
      nextToken: header(reply, headers.nextToken) || nextToken, // the header may be empty on the last page
    };
  }

  /** Live events until the signal is aborted. @throws ApiError if the subscription is refused */
  async *events(
    { index, hasFallback = false, ...subscription }: Subscription,
    how: Pick<EventOptions, 'clock' | 'random' | 'signal'>,
  ): AsyncGenerator<StreamNotice> {
    const open: EventOptions['open'] = (from, signal) => this.#open({ ...subscription, index: from }, signal);
    try {
      for await (const told of eventsOf({ ...how, open, from: index })) {
        if (told.is === 'open') this.#listening = 'live';
        yield told;
      }
    } catch (error) {
      if (!hasFallback) this.#listening = 'denied';
      throw error;
    }
  }

  listening(): 'live' | 'denied' | undefined {
    return this.#listening;
  }

  async #open(
    { topics, namespace, index }: Required<Omit<Subscription, 'hasFallback'>>,
    signal: AbortSignal,
  ): Promise<HttpStream> {
    const { token, region } = this.#connection;
    const query = new URLSearchParams({
      index: String(index),
      namespace,
      ...(region !== undefined && { region }),
    });
    for (const topic of topics) query.append('topic', topic);
    const stream = await this.#streams.stream({
      method: 'GET',
      path: `/v1/event/stream?${query.toString()}`,
      signal,
      deadlineMs: readDeadlineMs,
      info: { port: 'scheduler', op: 'event.stream', mutates: false },
      headers: {
        ...(token && { [this.#dialect.headers.token]: headerValue(token) }),
      },
    });
    if (stream.status === 200) return stream;
    throw this.#refusal({ op: 'event.stream', params: {} }, stream);
  }

  /** Performs one mutation. Never throws: a lost answer is `unknown`. */
  async perform(
    effect: SchedulerEffect | SignalCall,
    key: string,
    signal: AbortSignal,
    urgent?: Urgent,
  ): Promise<Outcome> {
    const { op } = effect;
    const { deadlineMs = writeDeadlineMs } = 'deadlineMs' in effect ? effect : {};
    try {
      const body = 'body' in effect ? encode(lower(this.#dialect, effect.body)) : undefined;
      const call = { op, params: effect.params, key, signal, deadlineMs };
      const sent = body === undefined ? call : { ...call, body };
      const reply = urgent ? await this.#inTurn(urgent, sent) : await this.#send(this.#work, sent);
      const { method, answers }: Route = routes[op];
      if (reply.status < 300) return { is: 'done', ...(answers && { reply: answerOf(op, reply.text) }) };
      if (method === 'DELETE' && op !== 'snapshot.delete' && saysAbsent(reply.text)) return { is: 'done' };
      if (op === 'snapshot.delete' && saysNoSnapshot(reply.status, reply.text)) return { is: 'done' };
      const error = this.#refusal(effect, reply);
      return { is: error.mayHaveHadEffect ? 'unknown' : 'rejected', error };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { is: error.mayHaveHadEffect ? 'unknown' : 'rejected', error };
    }
  }

  /** The error for an unsuccessful answer, without the secrets of the request: services may quote requests. */
  #refusal({ op, params, body }: Asked, reply: HttpReply): ApiError {
    const { token } = this.#connection;
    const boxes = [...(body ? secretsIn({ ...body }) : []), ...Object.values(secretsOf(params))];
    const sent = [...(token ? [token] : []), ...boxes];
    const { status, text } = reply;
    const removes = op !== 'event.stream' && routes[op].method === 'DELETE';
    const shown = scrubbed(text, sent);
    const needs = op === 'event.stream' ? [] : needsOf(op, params, this.#connection.dialect);
    return refusal({ op, status, text, shown, retryAfterMs: retryAfterMs(reply), removes, needs });
  }

  async #inTurn(urgent: Urgent, sent: Sent): Promise<HttpReply> {
    const { op, signal } = sent;
    try {
      return await this.#turns[urgent].use(signal, () => this.#send(this.#urgent[urgent], sent));
    } catch (error) {
      const isTooLate = signal.aborted && error === signal.reason; // aborted before it had a socket
      throw isTooLate
        ? transportError({ port: 'scheduler', op, mutates: routes[op].mutates }, error, false)
        : error;
    }
  }

  #send(transport: HttpTransport, { op, params, body, key, signal, deadlineMs }: Sent): Promise<HttpReply> {
    const route: Route = routes[op];
    const { token, region } = this.#connection;
    const path = pathOf(route, params, region === undefined ? {} : { region });
    const secrets = secretsHeader(op, secretsOf(params), route.holdsSecrets ?? false);
    return transport.request({
      method: route.method,
      path,
      signal,
      deadlineMs,
      info: {
        port: 'scheduler',
        op,
        mutates: route.mutates,
        ...(key !== undefined && { key }),
      },
      headers: {
        ...(token && { [this.#dialect.headers.token]: headerValue(token) }),
        ...(secrets !== undefined && { [this.#dialect.headers.csiSecrets]: secrets }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
  }

  async close(): Promise<void> {
    const all = [this.#work, ...Object.values(this.#urgent), this.#watch, this.#streams];
    await Promise.all(all.map((one) => one.close()));
  }
}

/** `csi-list-volume in namespace default`, or `plugin:list`, which belongs to no namespace. */
function needsOf(op: Op, params: Asked['params'], dialect: string): readonly string[] {
  const within = 'namespace' in params && params.namespace !== undefined ? params.namespace : 'default';
  return permissionsFor(op, dialect).map((one) =>
    one.startsWith('namespace:') ? `${one.slice('namespace:'.length)} in namespace ${within}` : one,
  );
}

const secretsOf = (params: Asked['params']) => ('secrets' in params ? params.secrets : undefined) ?? {};

/** The index, or 1 if it is invalid: an invalid index would make the next query fail, or not block. */
function indexIn(text: string | undefined): number {
  const index = Number(text);
  return Number.isSafeInteger(index) && index > 0 ? index : 1;
}
