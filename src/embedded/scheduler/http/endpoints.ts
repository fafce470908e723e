// How a route of the scheduler becomes an endpoint.
import { routes, type Op } from '../../../api/routes.ts';
import type { Endpoint } from '../../http/server.ts';

/** As tables name it: method and path. */
export const operation = (op: Op): string => `${routes[op].method} ${routes[op].path}`;

/** An operation that clients know: its path is in the table that they use, what it needs in `rights.ts`. */
export function served(op: Op, handle: Endpoint['handle']): Endpoint {
  const { method, path } = routes[op];
  return { method, path, acl: operation(op), handle };
}

/** A read beyond that table. */
export const get = (path: string, acl: string, handle: Endpoint['handle']): Endpoint => ({
  method: 'GET',
  path,
  acl,
  handle,
});

export const namespaceOf = (query: URLSearchParams): string => query.get('namespace') || 'default';
