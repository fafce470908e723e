// What each call needs of a token: for the policies of `holdfast policy`, and for what a connection asks beforehand.
import type { ExternalRef } from '../core/resource.ts';
import { schedulerDialect } from './dialects.ts';
import type { Route } from './route.ts';
import { schedulerRoutes } from './scheduler/routes.ts';
import { secretsRoutes } from './secrets/routes.ts';

type Asked = Pick<Route, 'acl' | 'method' | 'path'>;

/** Not among the routes: it is a socket. */
const exec: Asked = {
  acl: 'namespace:alloc-exec',
  method: 'GET',
  path: '/v1/client/allocation/{id}/exec',
};

/** By operation. */
export const routes: ReadonlyMap<string, Asked> = new Map<string, Asked>([
  ...Object.entries(schedulerRoutes),
  ...Object.entries(secretsRoutes),
  ['allocation.exec', exec],
]);

/** Every token may ask this. */
const free: ReadonlySet<string> = new Set(['none', 'token']);

/** Each that a call needs: of the scheduler as `<on>:<capability>`, of the secrets service on the path of the call. */
export function permissionsFor(op: string, dialect: string): readonly string[] {
  const route = routes.get(op);
  if (!route) throw new Error(`there is no operation ${op}`);
  const { permissions } = schedulerDialect(dialect);
  const all = Object.hasOwn(permissions, op) ? (permissions[op] ?? []) : [route.acl];
  // Which of the two a write needs depends on whether there is something already.
  return all
    .filter((one) => !free.has(one))
    .flatMap((one) => (one === 'update' && op.endsWith('.write') ? ['create', one] : [one]));
}

/** The path of the secrets service that a call is about. */
export const pathNeeded = (op: string, ref: ExternalRef): string =>
  (routes.get(op)?.path ?? '')
    .replace(/^\/v1\//, '')
    .replaceAll(/\{([a-z]+)\}/g, (_, parameter: string) => ref[parameter] ?? '');
