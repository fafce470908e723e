import { routes, type Op } from '../../../api/routes.ts';
import type { Endpoint } from '../../http/server.ts';

/** The name of an operation in tables: method and path. */
export const operation = (op: Op): string => `${routes[op].method} ${routes[op].path}`;

/** The endpoint of an operation that Holdfast uses: `api/routes.ts` has its path, `rights.ts` the rights it needs. */
export function served(op: Op, handle: Endpoint['handle']): Endpoint {
  const { method, path } = routes[op];
  return { method, path, acl: operation(op), handle };
}

/** A GET endpoint that is not in `api/routes.ts`. */
export const get = (path: string, acl: string, handle: Endpoint['handle']): Endpoint => ({
  method: 'GET',
  path,
  acl,
  handle,
});

export const namespaceOf = (query: URLSearchParams): string => query.get('namespace') || 'default';
