// How a route of the scheduler becomes an endpoint.
import { routes, type Op } from '../../api/routes.ts';
import type { Endpoint } from '../http.ts';

/** An operation that clients know: path and ACL are in the table that they use. */
export function served(op: Op, handle: Endpoint['handle']): Endpoint {
  const { method, path, acl } = routes[op];
  return { method, path, acl, handle };
}

/** A read beyond that table. */
export const get = (path: string, acl: string, handle: Endpoint['handle']): Endpoint => ({
  method: 'GET',
  path,
  acl,
  handle,
});

export const namespaceOf = (query: URLSearchParams): string => query.get('namespace') || 'default';
