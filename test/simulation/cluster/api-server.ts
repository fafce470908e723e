// A Kubernetes API server in memory, with the semantics of the real one for custom resources with a status subresource, and
// for Secrets, Events, Leases and Namespaces. What controllers do is done before the request that causes it is answered.
import { isRecord, parseJson } from '../../../src/core/json.ts';
import { namespaces, type KubernetesObject, type Resource } from '../../../src/api/kubernetes/resources.ts';
import type { Client, Reply } from '../../../src/embedded/http/server.ts';
import { notFound, Refused, success, unknownPath, unknownResource } from './answers.ts';
import { collect, concerns } from './collector.ts';
import { created } from './objects.ts';
import { askedBy, covered, isWatch, listed, scopeOf } from './reads.ts';
import { discovery, routeOf, type ResourceRoute } from './routes.ts';
import { Store, type Backup } from './store.ts';
import { failedWatch, Watch, watching, type Change, type Scope } from './watches.ts';
import { immortal, Writes, type Origin, type Target, type Written } from './writes.ts';

export type { Backup };

export interface ApiServerOptions extends Origin {
  /** What is served; Namespaces always are. */
  readonly resources: Iterable<Resource>;
}

export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ObjectChange {
  readonly plural: string;
  /** Absent: it was created. */
  readonly before?: KubernetesObject;
  /** Absent: it is gone. */
  readonly after?: KubernetesObject;
}

const mergePatch = 'application/merge-patch+json';
const ok = (json: unknown, status = 200): Reply => ({ status, body: { json } });

export class ApiServer {
  /**
   * Called after every change that was stored, synchronously. Not for a restored backup. What it gets is frozen. It may read,
   * and must not write.
   */
  onChange: (change: ObjectChange) => void = () => {};
  readonly #resources: readonly Resource[];
  readonly #store: Store;
  readonly #writes: Writes;
  readonly #watches = new Set<Watch>();
  #silent = false;
  /** Controllers may have something to do. */
  #unsettled = false;

  constructor(options: ApiServerOptions) {
    const served = [...options.resources].filter(({ plural }) => plural !== namespaces.plural);
    this.#resources = [...served, namespaces];
    this.#store = new Store(this.#resources, (change) => this.#told(change));
    this.#writes = new Writes(this.#store, namespaces, options);
    for (const name of immortal) {
      const made = { uid: options.newUid(), wallMs: options.wallMs() };
      this.#store.put(namespaces, created(namespaces, { metadata: { name } }, made));
    }
  }

  /** Carries one request out, at once. A watch streams. */
  handle(request: ApiRequest, client: Client): Reply {
    try {
      return this.#answer(request, client);
    } catch (error) {
      if (error instanceof Refused) return error.reply;
      throw error;
    }
  }

  /** All objects of a plural, as stored, by namespace and name. They are frozen. */
  objects(plural: string): readonly KubernetesObject[] {
    const of = this.#resources.find((one) => one.plural === plural);
    if (!of) throw new Error(`${plural} are not served`);
    return this.#store.list(of);
  }

  /** Watches from before now get 410; open ones end. */
  compact(): void {
    this.#store.compact();
    this.breakWatches();
  }

  /** All open watches end. */
  breakWatches(): void {
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  get silent(): boolean {
    return this.#silent;
  }

  /** While set, open watches deliver nothing (they stay open); what they missed follows once it is unset. */
  set silent(isSilent: boolean) {
    this.#silent = isSilent;
    for (const watch of this.#watches) watch.flush();
  }

  backup(): Backup {
    return this.#store.backup();
  }

  /** Puts back all that was stored; watches end. @param bump versions jump ahead by 1e9, otherwise they go back with it */
  restore(backup: Backup, bump: boolean): void {
    this.#store.restore(backup, bump);
    this.breakWatches();
  }

  #told(change: Change): void {
    const { resource, before, after } = change;
    if (concerns(change)) this.#unsettled = true;
    for (const watch of this.#watches) {
      if (watch.ended) this.#watches.delete(watch);
      else watch.tell(change);
    }
    this.onChange({ plural: resource.plural, ...(before && { before }), ...(after && { after }) });
  }

  #settle(): void {
    while (this.#unsettled) {
      this.#unsettled = false;
      collect(this.#store, (of, object) => void this.#writes.end(of, object));
    }
  }

  #answer(request: ApiRequest, client: Client): Reply {
    const { method, url, headers, body } = request;
    const route = routeOf(this.#resources, url);
    if (route.is === 'unknown') return unknownPath;
    if (route.is === 'no resource') throw unknownResource();
    if (route.is === 'no subresource') throw notFound(route.of, route.name);
    if (route.is === 'discovery') return ok(discovery(this.#resources, route.apiVersion));
    if (route.is === 'review') return ok(reviewed(parseJson(body)), 201);
    const target = targetOf(route);
    if (method === 'GET' && route.name !== '') return ok(this.#writes.found(target));
    const scope = scopeOf(route, headers['accept']);
    if (method === 'GET')
      return isWatch(route) ? this.#watch(scope, route.query, client) : ok(listed(this.#store, scope));
    const reply = this.#write(request, route, target, scope);
    this.#settle();
    return reply;
  }

  #write(
    { method, headers, body }: ApiRequest,
    { name }: ResourceRoute,
    target: Target,
    scope: Scope,
  ): Reply {
    const isNamed = name !== '';
    if (method === 'POST' && !isNamed && (target.namespace !== '' || !target.of.namespaced))
      return written(target, this.#writes.create(target, body));
    if (method === 'PUT' && isNamed) return written(target, this.#writes.replace(target, body));
    if (method === 'PATCH' && isNamed) {
      if (headers['content-type'] !== mergePatch)
        throw new Refused(415, 'UnsupportedMediaType', `only ${mergePatch} is simulated`);
      return written(target, this.#writes.patch(target, body));
    }
    if (method === 'DELETE' && isNamed) return written(target, this.#writes.delete(target, body));
    if (method === 'DELETE') {
      const all = covered(this.#store, scope);
      if (!target.dryRun) for (const object of all) this.#writes.end(target.of, object);
      return ok(listed(this.#store, scope));
    }
    const message = 'the server does not allow this method on the requested resource';
    throw new Refused(405, 'MethodNotAllowed', message, {});
  }

  #watch(scope: Scope, query: URLSearchParams, client: Client): Reply {
    const { version: now, compactedAt } = this.#store;
    const { from, listsFirst, ...options } = askedBy(scope.resource, query);
    if (listsFirst && from > now) return tooNew(from, now);
    const start = from === 0 || listsFirst ? now : from;
    if (start < compactedAt)
      return failedWatch(410, 'Expired', `too old resource version: ${start} (${compactedAt})`);
    const initial = listsFirst ? covered(this.#store, scope) : [];
    const state = { version: () => this.#store.version, isSilent: () => this.#silent };
    const watch = new Watch(scope, { ...options, from: start, initial }, state);
    for (const change of this.#store.since(start)) watch.tell(change);
    this.#watches.add(watch);
    return watching(watch, client);
  }
}

const reviewed = (asked: unknown): object => ({
  ...(isRecord(asked) && asked),
  status: { allowed: true },
});

const targetOf = ({ of, namespace, name, isStatus, query }: ResourceRoute): Target => ({
  of,
  namespace,
  name,
  isStatus,
  dryRun: query.getAll('dryRun').includes('All'),
});

/** A deletion answers with the object if it is still there, or if it is a namespace. */
function written({ of }: Target, { is, object }: Written): Reply {
  if (is === 'gone') return ok(success(of, object.metadata.name, object.metadata.uid));
  return ok(object, is === 'created' ? 201 : 200);
}

const tooNew = (from: number, now: number): Reply =>
  failedWatch(504, 'Timeout', `Timeout: Too large resource version: ${from}, current: ${now}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
