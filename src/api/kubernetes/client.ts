// The client of the API server. An absent object and a lost write are results; all other failures are thrown.
import type { EffectInfo, Repeat } from '../../core/effect.ts';
import { ApiError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { encode, reveal, type Json, type Sealed } from '../../core/secret.ts';
import type { EffectGate } from '../effect.ts';
import { HttpTransport, type HttpRequest } from '../http/transport.ts';
import type { HttpReply } from '../http/answer.ts';
import { jsonOf, persistently, readDeadlineMs } from '../http/request.ts';
import { Identity } from './identity.ts';
import { isAbsent, ofCluster, refusal } from './refusals.ts';
import {
  collectionPath,
  objectOf,
  objectPath,
  pageOf,
  type ListPage,
  type KubernetesObject,
  type ObjectName,
  type Resource,
} from './resources.ts';
import type { ClusterConfig, ListOptions, WriteOptions, Written } from './options.ts';
import { ServerDate } from './server-date.ts';
import { eventsOf, type WatchEvent } from './watch.ts';

const writeDeadlineMs = 30_000;
const connections = 64;
/** Each watch holds a connection for as long as it runs, and each chosen namespace has some ten. */
const watchConnectionsMax = 8_192;
/** The API server sends a bookmark about once a minute. */
const watchSilenceMs = 150_000;

type Query = Readonly<Record<string, string | undefined>>;

interface Call {
  readonly op: string;
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly query?: Query;
  readonly body?: Sealed;
  readonly contentType?: string;
  readonly accept?: string;
  readonly mutates: false | Repeat;
  readonly signal: AbortSignal;
}

const json = 'application/json';
const metadataAs = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1`;
/** Names Holdfast as the writer of a field, in `managedFields`. */
const fieldManager = 'holdfast';
const never = new AbortController().signal;

export class KubernetesClient {
  readonly namespace: string;
  readonly date: ServerDate;
  readonly #identity: Identity;
  readonly #calls: HttpTransport;
  readonly #watches: HttpTransport;
  /** Path of the API server: before that of each request. */
  readonly #base: string;

  /**
   * @param nowMs monotonic
   * @param silenceMs a watch that is silent for this long is closed
   */
  constructor(config: ClusterConfig, gate: EffectGate, nowMs: () => number, silenceMs = watchSilenceMs) {
    const { tls, server, namespace, dispatcherOf } = config;
    const { origin, pathname } = new URL(server);
    this.#identity = new Identity(config, nowMs, () => {
      this.#calls.renew();
      this.#watches.renew();
    });
    this.#base = pathname.replace(/\/$/, '');
    this.date = new ServerDate(nowMs);
    this.namespace = namespace;
    const options = {
      addresses: [origin],
      gate,
      ...(dispatcherOf && { dispatcherOf }),
      ...(tls && { tls }),
    };
    this.#calls = new HttpTransport({ ...options, connections });
    this.#watches = new HttpTransport({ ...options, connections: watchConnectionsMax, silenceMs });
  }

  async close(): Promise<void> {
    await Promise.all([this.#calls.close(), this.#watches.close()]);
  }

  /**
   * @param page the `next` of the previous page
   * @throws ApiError `PageTokenExpired` if the list has to start again
   */
  async list(
    of: Resource,
    options: ListOptions,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<ListPage> {
    const reply = await this.#send({
      op: `${of.plural}.list`,
      method: 'GET',
      path: collectionPath(of, options.namespace),
      query: { limit: '500', continue: page, labelSelector: options.labelSelector },
      ...(options.metadataOnly && { accept: metadataAs('PartialObjectMetadataList') }),
      mutates: false,
      signal,
    });
    if (reply.status === 410)
      throw new ApiError('unavailable', 'PageTokenExpired', `${of.plural}.list: expired`);
    return pageOf(`${of.plural}.list`, this.#json(`${of.plural}.list`, reply));
  }

  /**
   * @param query where to start: `resourceVersion`, `sendInitialEvents` …
   * @throws ApiError if the watch can't start: `PageTokenExpired` if the version is too old. The iterable throws if the
   * watch breaks off, falls silent or is unreadable
   */
  async watch(
    of: Resource,
    options: ListOptions,
    query: Query,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchEvent>> {
    const op = `${of.plural}.watch`;
    const { labelSelector } = options;
    const all = { watch: 'true', allowWatchBookmarks: 'true', labelSelector, ...query };
    const request = await this.#request({
      op,
      method: 'GET',
      path: collectionPath(of, options.namespace),
      query: all,
      ...(options.metadataOnly && { accept: metadataAs('PartialObjectMetadata') }),
      mutates: false,
      signal,
    });
    const stream = await this.#watches
      .stream(request)
      .catch((error: unknown) => Promise.reject(ofCluster(error)));
    if (stream.status === 410) throw new ApiError('unavailable', 'PageTokenExpired', `${op}: expired`);
    if (stream.status !== 200) throw this.#refused(op, stream);
    return eventsOf(op, stream.chunks);
  }

  /** @returns `undefined` if the object is absent */
  async get(of: Resource, at: ObjectName, signal = never): Promise<KubernetesObject | undefined> {
    const op = `${of.plural}.get`;
    const reply = await this.#send({ op, method: 'GET', path: objectPath(of, at), mutates: false, signal });
    if (isAbsent(reply)) return undefined;
    return objectOf(op, this.#json(op, reply));
  }

  /** The answer at a path, such as a list of resources; `undefined` for a 404. */
  async read(path: string, signal = never): Promise<Json | undefined> {
    const reply = await this.#send({ op: 'discovery', method: 'GET', path, mutates: false, signal });
    return reply.status === 404 ? undefined : this.#json('discovery', reply);
  }

  create(of: Resource, namespace: string, body: Sealed, options?: WriteOptions): Promise<Written> {
    const path = collectionPath(of, namespace);
    return this.#write({ op: `${of.plural}.create`, method: 'POST', path, body }, options);
  }

  /** Replaces the whole object, if its `resourceVersion` is still the one in the body. */
  replace(of: Resource, at: ObjectName, body: Sealed, options: WriteOptions = {}): Promise<Written> {
    const { subresource } = options;
    const op = `${of.plural}.${subresource ?? 'replace'}`;
    return this.#write({ op, method: 'PUT', path: objectPath(of, at, subresource), body }, options);
  }

  /** A JSON merge patch. A `resourceVersion` in its metadata is a condition. */
  patch(of: Resource, at: ObjectName, body: Json, options: WriteOptions = {}): Promise<Written> {
    const { subresource } = options;
    const call = {
      op: `${of.plural}.${subresource ?? 'patch'}`,
      method: 'PATCH',
      path: objectPath(of, at, subresource),
      body,
      contentType: 'application/merge-patch+json',
    } as const;
    return this.#write(call, options);
  }

  /** Requests a review, which the API server does not store. @returns the status of the review */
  async review(of: Resource, spec: Sealed, signal = never): Promise<Readonly<Record<string, unknown>>> {
    const { apiVersion, kind, plural } = of;
    return this.ask(`${plural}.create`, collectionPath(of, ''), { apiVersion, kind, spec }, signal);
  }

  /** Posts what the API server answers and does not store. @returns the status of the answer */
  async ask(
    op: string,
    path: string,
    body: Sealed,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const reply = await this.#send({ op, method: 'POST', path, body, mutates: false, signal });
    const answer = this.#json(op, reply, body);
    const status = isRecord(answer) ? answer['status'] : undefined;
    if (isRecord(status)) return status;
    throw new ApiError('unreadable', 'InvalidResponse', `${op}: the answer has no status`);
  }

  /**
   * @param resourceVersion absent: any
   * @returns false if the object is absent, has another UID, or another version
   */
  async remove(of: Resource, at: ObjectName, uid: string, resourceVersion?: string): Promise<boolean> {
    const op = `${of.plural}.delete`;
    const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
    const reply = await this.#send({
      op,
      method: 'DELETE',
      path: objectPath(of, at),
      body,
      mutates: 'findable',
      signal: never,
    });
    if (reply.status === 404 || reply.status === 409) return false;
    this.#json(op, reply);
    return true;
  }

  async #write(call: Omit<Call, 'mutates' | 'signal'>, options: WriteOptions = {}): Promise<Written> {
    const { dryRun = false, repeat = 'findable', signal = never } = options;
    const query = { fieldManager, ...(dryRun && { dryRun: 'All' }) };
    const mutates = dryRun ? false : repeat;
    const reply = await this.#send({ ...call, query, mutates, signal });
    // If a create gets a 404, its namespace is missing.
    if (isAbsent(reply) && call.method !== 'POST') return { is: 'absent' };
    if (reply.status === 409) return { is: 'conflict' };
    const answer = this.#json(call.op, reply, call.body);
    return dryRun ? { is: 'tried' } : { is: 'done', object: objectOf(call.op, answer) };
  }

  async #send(call: Call): Promise<HttpReply> {
    const request = await this.#request(call);
    const send = (): Promise<HttpReply> => this.#calls.request(request);
    try {
      const reply = await (call.mutates === false ? persistently(send, call.signal) : send());
      return this.date.noted(reply);
    } catch (error) {
      throw ofCluster(error);
    }
  }

  async #request(call: Call): Promise<HttpRequest> {
    const { op, method, path, query = {}, body, contentType, accept, mutates, signal } = call;
    const info: EffectInfo = { port: 'kubernetes', op, mutates };
    const set = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== '') set.set(name, value);
    const headers: Record<string, string> = { accept: accept ?? json, 'user-agent': fieldManager };
    for (const [name, value] of Object.entries(await this.#identity.headers(op)))
      headers[name] = reveal(value);
    if (body !== undefined) headers['content-type'] = contentType ?? json;
    return {
      info,
      method,
      path: `${this.#base}${path}${set.size === 0 ? '' : `?${set.toString()}`}`,
      headers,
      ...(body !== undefined && { body: encode(body) }),
      signal,
      deadlineMs: mutates === false ? readDeadlineMs : writeDeadlineMs,
    };
  }

  #json(op: string, reply: HttpReply, body?: Sealed): Json {
    if (reply.status >= 300) throw this.#refused(op, reply, body);
    return jsonOf(op, reply.text);
  }

  #refused(op: string, reply: HttpReply, body?: Sealed): ApiError {
    if (reply.status === 401) this.#identity.refused();
    return refusal(op, reply, body);
  }
}
