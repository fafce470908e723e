// Routes a path to an engine: to the longest mount that it lies below, then to the engine's own routes. All checks
// before a handler are here, in this order: seal, standby, namespace, token, policies, and only then whether the path
// exists (services.md#secrets-errors).
import { mistake } from './mistake.ts';
import { Refusal, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import { Router, decoded, type Match, type Routing } from '../../http/router.ts';
import { allowed } from '../acl/capabilities.ts';
import { capabilityOf, givenIn, verbOf, type CallRoute, type Verb } from './calls.ts';
import { unavailability } from './availability.ts';
import { RequestFields } from './request-fields.ts';
import type { TokenRow } from '../store/model.ts';
import { isAuth, mountOf } from '../system/mounts.ts';
import { namespaceNamed, namespaceOf, seenFrom, within } from '../system/namespaces.ts';
import {
  errorReply,
  invalidToken,
  permissionDenied,
  unsupportedOperation,
  unsupportedPath,
  warned,
} from './replies.ts';
import type { State } from '../state.ts';
import { tokenOf } from '../auth/tokens.ts';

export interface Engines {
  /** Path → routes, for mounts that always exist. */
  readonly fixed: Readonly<Record<string, readonly CallRoute[]>>;
  readonly mounted: Readonly<Record<string, readonly CallRoute[]>>;
}

interface Place {
  readonly namespace: string;
  /** Relative to the namespace, without slashes at its end. */
  readonly path: string;
  /** The namespace of the header does not exist. */
  readonly isLost?: true;
  /** Absent: nothing is mounted there. */
  readonly mount?: string;
  /** Absent: the mount has no such path. */
  readonly route?: CallRoute;
  readonly params: Readonly<Record<string, string>>;
  /** The neutral path with its parameter names, as in the table of operations; empty if no route matches. */
  readonly pattern: string;
}

type Routers = ReadonlyMap<string, Router<CallRoute>>;
const routersOf = (routes: Engines['fixed']): Routers =>
  new Map(Object.entries(routes).map(([key, list]) => [key, new Router(list)]));

export class CallRouter implements Routing<Endpoint> {
  readonly #state: State;
  readonly #setup: Router<Endpoint>;
  readonly #fixed: Routers;
  readonly #mounted: Routers;
  /** The token of requests without a valid one, if the service needs no token. */
  readonly #anyone: TokenRow | undefined;
  readonly #nobody: TokenRow;

  constructor(state: State, setup: readonly Endpoint[], engines: Engines, open: boolean) {
    this.#state = state;
    this.#setup = new Router(setup);
    this.#fixed = routersOf(engines.fixed);
    this.#mounted = routersOf(engines.mounted);
    this.#nobody = unnamed([]);
    this.#anyone = open ? unnamed(['root']) : undefined;
  }

  find(method: string, rawPath: string, headers: Incoming['headers']): Match<Endpoint> {
    const path = decoded(rawPath);
    if (path === undefined) return { is: 'malformed' };
    if (!path.startsWith('/v1/')) return this.#setup.find(method, rawPath);
    const header = String(headers[this.#state.dialect.headers.namespace.toLowerCase()] ?? '');
    const place = this.#place(namespaceNamed(header), path.slice('/v1/'.length).replace(/\/+$/, ''));
    const handle = async (request: Incoming) => {
      const reply = await this.#answer(method, rawPath, header, place, request).catch(refused);
      if (header === '') return reply;
      return { ...reply, headers: { ...reply.headers, [this.#state.dialect.headers.namespace]: header } };
    };
    return {
      is: 'found',
      route: { method, path: place.pattern, acl: 'none', handle },
      params: place.params,
    };
  }

  /** The header names the namespace, or the path does, or each names a part of it. */
  #place(header: string, given: string): Place {
    const whole = within(header, given);
    const namespace = namespaceOf(this.#state, whole);
    const isLost = header !== '' && !`${namespace}/`.startsWith(`${header}/`);
    const path = isLost ? given : (seenFrom(namespace, whole) ?? '');
    for (const [mount, router] of this.#fixed) {
      if (path === mount || path.startsWith(`${mount}/`)) {
        const at = { namespace, path, mount, ...(isLost && { isLost }) };
        return placed(at, path.slice(mount.length), router, `/v1/${mount}`);
      }
    }
    if (isLost) return { namespace, path, isLost, params: {}, pattern: '' };
    const mount = mountOf(this.#state, whole);
    const router = mount && this.#mounted.get(mount.type);
    if (!router) return { namespace, path, params: {}, pattern: '' };
    const prefix = isAuth(mount) ? '/v1/auth/{mount}' : '/v1/{mount}';
    return placed({ namespace, path, mount: mount.path }, whole.slice(mount.path.length), router, prefix);
  }

  async #answer(
    method: string,
    rawPath: string,
    header: string,
    place: Place,
    request: Incoming,
  ): Promise<Reply> {
    const { query } = request;
    const { mount, route, namespace, path, params } = place;
    if (route?.rootOnly && header !== '') throw mistake('operation unavailable in namespaces');
    const search = query.size > 0 ? `?${query.toString()}` : '';
    const instead = unavailability(this.#state, request, rawPath + search, path, route);
    if (instead) return instead;
    if (place.isLost) throw new Refusal(404, 'namespace not found');
    if (route?.rootOnly && namespace !== '') throw mistake('operation only available in root namespace');
    checkPatch(method, request);
    const { verb, plainList } = this.#verb(method, query, route);
    const given = verb === 'write' ? givenIn(request) : new RequestFields({});
    const exists = (mount !== undefined && route?.exists?.({ mount, namespace, params })) ?? true;
    const token = this.#authorized(request, within(namespace, path), route, verb, exists);
    if (mount === undefined) {
      throw new Refusal(404, `no handler for route ${JSON.stringify(path)}. route entry not found.`);
    }
    if (!route) throw unsupportedPath();
    const handler = verb && route.verbs[verb];
    if (!handler) throw verb === 'list' ? unsupportedPath() : unsupportedOperation(route.needs);
    const call = {
      mount,
      namespace,
      params,
      query,
      method,
      token,
      plainList,
      given: () => given,
    };
    return warned(await handler(call), given);
  }

  #verb(method: string, query: URLSearchParams, route: CallRoute | undefined) {
    const verb = verbOf(method, query);
    const { plainList: lists } = this.#state.dialect.capabilities;
    const plainList = lists && verb === 'read' && !route?.verbs.read && route?.verbs.list !== undefined;
    return { verb: plainList ? ('list' as const) : verb, plainList };
  }

  #authorized(
    request: Incoming,
    path: string,
    route: CallRoute | undefined,
    verb: Verb | undefined,
    exists: boolean,
  ): TokenRow {
    if (route?.needs === 'none' || route?.needs === 'sealed') return this.#nobody;
    const token = this.#tokenIn(request);
    if (!token) throw invalidToken();
    if (route?.needs === 'token') return token;
    const capability = verb && capabilityOf(verb, exists);
    // Wherever a token asks for itself, its own namespace says whether it may.
    const self = /(?:^|\/)(auth\/token\/(?:lookup|renew|revoke)-self)$/.exec(path)?.[1];
    const seen = self ?? seenFrom(token.namespace ?? '', path);
    if (seen === undefined) throw permissionDenied(this.#state.behaviour); // outside the token's namespace
    const rights = allowed(this.#state.policiesOf(token), seen, verb === 'list');
    const may = capability ? rights.has(capability) : rights.size > 0;
    if (!may) throw permissionDenied(this.#state.behaviour);
    return token;
  }

  /** Fixtures need the root token. @throws Refusal 403 */
  authorizeSetup(headers: Incoming['headers']): void {
    const token = this.#tokenIn({ headers });
    if (!token?.policies.includes('root')) throw permissionDenied(this.#state.behaviour);
  }

  #tokenIn({ headers }: Pick<Incoming, 'headers'>): TokenRow | undefined {
    // The scheme is case-sensitive (services.md#secrets-dialects).
    const bearer = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1];
    const given = String(headers[this.#state.dialect.headers.token.toLowerCase()] ?? bearer ?? '').trim();
    return tokenOf(this.#state, given) ?? this.#anyone;
  }
}

function placed(
  at: Pick<Place, 'namespace' | 'path' | 'isLost'> & { readonly mount: string },
  below: string,
  router: Router<CallRoute>,
  prefix: string,
): Place {
  const match = router.find('*', encodeURI(below));
  if (match.is !== 'found') return { ...at, params: {}, pattern: '' };
  const pattern = `${prefix}${match.route.path.replace('...}', '}')}`;
  return { ...at, route: match.route, params: match.params, pattern };
}

/** No route accepts PATCH, but a wrong content type is reported first. @throws Refusal 415 */
function checkPatch(method: string, { headers }: Incoming): void {
  const wanted = 'application/merge-patch+json';
  const type = headers['content-type'] ?? '';
  if (method !== 'PATCH' || type === wanted) return;
  throw new Refusal(415, `PATCH requires Content-Type of ${wanted}, provided ${type.slice(0, 100)}`);
}

/** The reply for a refusal. @throws any other error */
function refused(error: unknown): Reply {
  if (error instanceof Refusal) return errorReply(error.status, error.message);
  throw error;
}

const unnamed = (policies: readonly string[]): TokenRow => ({
  token: '',
  accessor: '',
  policies,
  displayName: '',
  path: '',
  meta: {},
  createdMs: 0,
  creationTtlSeconds: 0,
  maxTtlSeconds: 0,
  renewable: false,
});
