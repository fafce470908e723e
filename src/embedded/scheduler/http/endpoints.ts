import { routes, type Op } from '../../../api/routes.ts';
import type { Endpoint } from '../../http/server.ts';

/** The name in tables: method and path. */
export const operation = (op: Op): string => `${routes[op].method} ${routes[op].path}`;

/** An operation of the client: `api/routes.ts` has its path, `rights.ts` what it needs. */
export function served(op: Op, handle: Endpoint['handle']): Endpoint {
  const { method, path } = routes[op];
  return { method, path, acl: operation(op), handle };
}

/** A read that the client does not use. */
export const get = (path: string, acl: string, handle: Endpoint['handle']): Endpoint => ({
  method: 'GET',
  path,
  acl,
  handle,
});

export const namespaceOf = (query: URLSearchParams): string => query.get('namespace') || 'default';
