// From method and path to a handler, by segments. A path that is known but for its method, or that lies below a known
// one, is told apart from one that is not known at all, because services answer these differently.

import type { IncomingHttpHeaders } from 'node:http';

export interface Routed {
  readonly method: string;
  /** `{name}` stands for one segment, `{name...}` at the end for all that are left, at least one. */
  readonly path: string;
}

/** How a service finds who answers. */
export interface Routing<R extends Routed> {
  /** `rawPath` is as it was sent, without the query. */
  find(method: string, rawPath: string, headers: IncomingHttpHeaders): Match<R>;
}

export type Match<R extends Routed> =
  | { readonly is: 'found'; readonly route: R; readonly params: Readonly<Record<string, string>> }
  /** Known path, other methods only. */
  | { readonly is: 'method' }
  /** Deeper than, or an empty name in, a path that ends in a name. */
  | { readonly is: 'below' }
  | { readonly is: 'unknown' }
  | { readonly is: 'malformed' };

interface Leaf<R> {
  readonly route: R;
  readonly names: readonly string[];
}

interface Branch<R> {
  readonly statics: Map<string, Branch<R>>;
  readonly byMethod: Map<string, Leaf<R>>;
  named: Branch<R> | undefined;
  rest: Branch<R> | undefined;
}

const branch = <R>(): Branch<R> => ({
  statics: new Map(),
  byMethod: new Map(),
  named: undefined,
  rest: undefined,
});
const isName = (segment: string): boolean => segment.startsWith('{');
const isRest = (segment: string): boolean => segment.endsWith('...}');

export class Router<R extends Routed> implements Routing<R> {
  readonly #root = branch<R>();

  /** @throws Error for a route that is there already: a bug. */
  constructor(routes: readonly R[]) {
    for (const route of routes) {
      let at = this.#root;
      for (const segment of route.path.split('/').slice(1)) at = grow(at, segment);
      if (at.byMethod.has(route.method)) throw new Error(`two routes: ${route.method} ${route.path}`);
      at.byMethod.set(route.method, { route, names: namesIn(route.path) });
    }
  }

  /** The path is decoded first: an encoded slash separates like a plain one (wire.md 2.5). */
  find(method: string, rawPath: string): Match<R> {
    const path = decoded(rawPath);
    if (path === undefined) return { is: 'malformed' };
    const values: string[] = [];
    let at = this.#root;
    const segments = path.split('/').slice(1);
    for (const [i, segment] of segments.entries()) {
      const next = at.statics.get(segment) ?? (segment === '' ? undefined : at.named);
      if (!next && at.rest && segment !== '') {
        values.push(segments.slice(i).join('/'));
        at = at.rest;
        break;
      }
      if (!next) return { is: values.length > 0 || at.named !== undefined ? 'below' : 'unknown' };
      if (next === at.named) values.push(segment);
      at = next;
    }
    const leaf = at.byMethod.get(method);
    if (leaf) return { is: 'found', route: leaf.route, params: paired(leaf.names, values) };
    return { is: at.byMethod.size > 0 ? 'method' : 'unknown' };
  }
}

function grow<R>(at: Branch<R>, segment: string): Branch<R> {
  if (isRest(segment)) return (at.rest ??= branch<R>());
  if (isName(segment)) return (at.named ??= branch<R>());
  const next = at.statics.get(segment) ?? branch<R>();
  at.statics.set(segment, next);
  return next;
}

/** The path with its percent-encoding undone; `undefined` where that is broken. */
export function decoded(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

const namesIn = (path: string): readonly string[] =>
  path
    .split('/')
    .filter(isName)
    .map((segment) => segment.slice(1, isRest(segment) ? -'...}'.length : -1));

function paired(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  names.forEach((name, i) => {
    params[name] = values[i] ?? '';
  });
  return params;
}
