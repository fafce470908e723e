// Finds a route by method and path segments. Distinguishes a wrong method, a path below a known one and an unknown
// path, because the services answer these differently.

import type { IncomingHttpHeaders } from 'node:http';

export interface Routed {
  readonly method: string;
  /** `{name}` matches one segment, `{name...}` at the end matches one or more. */
  readonly path: string;
}

export interface Routing<R extends Routed> {
  /** @param rawPath still encoded, without the query */
  find(method: string, rawPath: string, headers: IncomingHttpHeaders): Match<R>;
}

export type Match<R extends Routed> =
  | { readonly is: 'found'; readonly route: R; readonly params: Readonly<Record<string, string>> }
  /** The path has routes for other methods only. */
  | { readonly is: 'method' }
  /** The path continues below a parameter without a route, or leaves a parameter empty. */
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

  constructor(routes: readonly R[]) {
    for (const route of routes) {
      let at = this.#root;
      for (const segment of route.path.split('/').slice(1)) at = grow(at, segment);
      if (at.byMethod.has(route.method)) throw new Error(`two routes: ${route.method} ${route.path}`);
      at.byMethod.set(route.method, { route, names: namesIn(route.path) });
    }
  }

  /** Decodes before it splits: an encoded slash separates like a plain one (services.md#volume-paths). */
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

/** The decoded path; `undefined` if its encoding is broken. */
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
