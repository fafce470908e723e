// From a path to an engine: by the longest mount that it lies below, then by the engine's own routes. What stands between
// a request and its handler is here, in the order of the real services: namespace, seal, standby, token, policies, and
// only then whether there is such a path at all (wire.md 3.1).
import { Refusal, type Endpoint, type Incoming, type Reply } from '../http.ts';
import { Router, decoded, type Match, type Routing } from '../router.ts';
import { allowed } from './acl.ts';
import { capabilityOf, givenIn, verbOf, type Call, type CallRoute, type Verb } from './calls.ts';
import type { TokenRow } from './model.ts';
import { mountOf } from './mounts.ts';
import {
  invalidToken,
  mistake,
  noStore,
  permissionDenied,
  unsupportedOperation,
  unsupportedPath,
} from './replies.ts';
import type { State } from './state.ts';
import { tokenOf } from './tokens.ts';

export interface Engines {
  /** By path: what can't be mounted elsewhere. */
  readonly fixed: Readonly<Record<string, readonly CallRoute[]>>;
  /** By type. */
  readonly mounted: Readonly<Record<string, readonly CallRoute[]>>;
}

/** Where a path leads. */
interface Place {
  /** Without `/v1/` and slashes at its end: what policies are about. */
  readonly path: string;
  /** Absent: nothing is mounted there. */
  readonly mount?: string;
  /** Absent: the mount knows no such path. */
  readonly route?: CallRoute;
  readonly params: Readonly<Record<string, string>>;
  /** The documents' path with its names, as in the table of operations; empty where no route matches. */
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
  /** What requests without a token may do where none is asked for. */
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

  find(method: string, rawPath: string): Match<Endpoint> {
    const path = decoded(rawPath);
    if (path === undefined) return { is: 'malformed' };
    if (!path.startsWith('/v1/')) return this.#setup.find(method, rawPath);
    const place = this.#place(path.slice('/v1/'.length).replace(/\/+$/, ''));
    const handle = (request: Incoming) => this.#answer(method, rawPath, place, request);
    return {
      is: 'found',
      route: { method, path: place.pattern, acl: 'none', handle },
      params: place.params,
    };
  }

  #place(path: string): Place {
    for (const [mount, router] of this.#fixed) {
      if (path === mount || path.startsWith(`${mount}/`)) {
        return placed(path, mount, router, `/v1/${mount}`);
      }
    }
    const mount = mountOf(this.#state, path);
    const router = mount && this.#mounted.get(mount.type);
    if (!router) return { path, params: {}, pattern: '' };
    return placed(
      path,
      mount.path,
      router,
      mount.path.startsWith('auth/') ? '/v1/auth/{mount}' : '/v1/{mount}',
    );
  }

  #answer(method: string, rawPath: string, place: Place, request: Incoming): Reply | Promise<Reply> {
    const { headers, query } = request;
    const { mount, route, path } = place;
    this.#checkNamespace(headers[this.#state.dialect.headers.namespace.toLowerCase()], route);
    const search = query.size > 0 ? `?${query.toString()}` : '';
    const elsewhere = this.#checkNode(request, rawPath + search, route);
    if (elsewhere) return elsewhere;
    const { verb, plainList } = this.#verb(method, query, route);
    const exists = (mount !== undefined && route?.exists?.({ mount, params: place.params })) ?? true;
    const token = this.#authorized(request, path, route, verb, exists);
    if (mount === undefined) {
      throw new Refusal(404, `no handler for route ${JSON.stringify(path)}. route entry not found.`);
    }
    if (!route) throw unsupportedPath();
    const handler = verb && route.verbs[verb];
    if (!handler) throw unsupportedOperation();
    const call: Call = {
      mount,
      params: place.params,
      query,
      method,
      token,
      plainList,
      given: () => givenIn(request),
    };
    return handler(call);
  }

  #verb(method: string, query: URLSearchParams, route: CallRoute | undefined) {
    const verb = verbOf(method, query);
    const { plainList: lists } = this.#state.dialect.capabilities;
    const plainList = lists && verb === 'read' && !route?.verbs.read && route?.verbs.list !== undefined;
    return { verb: plainList ? ('list' as const) : verb, plainList };
  }

  /** There are no namespaces but the root one. */
  #checkNamespace(header: string | string[] | undefined, route: CallRoute | undefined): void {
    const namespace = String(header ?? '').replaceAll(/^\/+|\/+$/g, '');
    if (namespace === '' || namespace === 'root') return;
    if (route?.needs === 'sealed') throw mistake('operation unavailable in namespaces');
    throw new Refusal(404, 'namespace not found');
  }

  /** @returns where to go instead. @throws Refusal 503 */
  #checkNode({ headers }: Incoming, url: string, route: CallRoute | undefined): Reply | undefined {
    const { sealed, standby, dialect, dialectName } = this.#state;
    if (route?.needs === 'sealed') return undefined;
    if (sealed) throw new Refusal(503, `${dialectName === 'vault' ? 'Vault' : 'service'} is sealed`);
    const mustStay = headers[dialect.headers.noForwarding.toLowerCase()] !== undefined;
    if (!standby || !mustStay) return undefined; // forwarded, unseen by the client
    return { status: 307, headers: { ...noStore, Location: `${standby.activeURL}${url}` } };
  }

  /** @throws Refusal 403 */
  #authorized(
    request: Incoming,
    path: string,
    route: CallRoute | undefined,
    verb: Verb | undefined,
    exists: boolean,
  ): TokenRow {
    if (route?.needs === 'none' || route?.needs === 'sealed') return this.#nobody;
    const token = this.#tokenIn(request);
    if (!token) throw invalidToken(this.#state.dialectName);
    if (route?.needs === 'token') return token;
    const capability = verb && capabilityOf(verb, exists);
    const rights = allowed(this.#state.policiesOf(token), path, verb === 'list');
    const may = capability ? rights.has(capability) : rights.size > 0;
    if (!may) throw permissionDenied(this.#state.dialectName);
    return token;
  }

  /** For setting up: only the root's token will do. @throws Refusal 403 */
  authorizeSetup(headers: Incoming['headers']): void {
    const token = this.#tokenIn({ headers });
    if (!token?.policies.includes('root')) throw permissionDenied(this.#state.dialectName);
  }

  #tokenIn({ headers }: Pick<Incoming, 'headers'>): TokenRow | undefined {
    const bearer = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1]; // its case counts (wire.md 1.2)
    const given = String(headers[this.#state.dialect.headers.token.toLowerCase()] ?? bearer ?? '').trim();
    return tokenOf(this.#state, given) ?? this.#anyone;
  }
}

function placed(path: string, mount: string, router: Router<CallRoute>, prefix: string): Place {
  const match = router.find('*', encodeURI(path.slice(mount.length)));
  if (match.is !== 'found') return { path, mount, params: {}, pattern: '' };
  const pattern = `${prefix}${match.route.path.replace('...}', '}')}`;
  return { path, mount, route: match.route, params: match.params, pattern };
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
