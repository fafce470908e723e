// The permissions that each call needs: for `holdfast policy`, and for the check of a connection's token.
import type { ExternalRef } from '../core/resource.ts';
import { schedulerDialect } from './dialects.ts';
import type { Route } from './route.ts';
import { schedulerRoutes } from './scheduler/routes.ts';
import { secretsRoutes } from './secrets/routes.ts';

type Asked = Pick<Route, 'acl' | 'method' | 'path'>;

/** Not in the tables of routes: exec uses a WebSocket. */
const exec: Asked = {
  acl: 'namespace:alloc-exec',
  method: 'GET',
  path: '/v1/client/allocation/{id}/exec',
};

/** Operation → route. */
export const routes: ReadonlyMap<string, Asked> = new Map<string, Asked>([
  ...Object.entries(schedulerRoutes),
  ...Object.entries(secretsRoutes),
  ['allocation.exec', exec],
]);

/** Values of `acl` that need no permission. */
const free: ReadonlySet<string> = new Set(['none', 'token']);

/** Writes that count as updates from the first on: the service does not look whether there is something to update. */
const alwaysUpdates: ReadonlySet<string> = new Set(['oidc.config.write']);

/** What a call needs: `<on>:<capability>` of the scheduler, or capabilities on its path in the secrets service. */
export function permissionsFor(op: string, dialect: string): readonly string[] {
  const route = routes.get(op);
  if (!route) throw new Error(`there is no operation ${op}`);
  const { permissions } = schedulerDialect(dialect);
  const all = Object.hasOwn(permissions, op) ? (permissions[op] ?? []) : [route.acl];
  // A write needs one or the other, depending on whether the target exists already.
  const mayCreate = op.endsWith('.write') && !alwaysUpdates.has(op);
  return all
    .filter((one) => !free.has(one))
    .flatMap((one) => (one === 'update' && mayCreate ? ['create', one] : [one]));
}

/** The path in the secrets service that a call uses. */
export const pathNeeded = (op: string, ref: ExternalRef): string =>
  (routes.get(op)?.path ?? '')
    .replace(/^\/v1\//, '')
    .replaceAll(/\{([a-z]+)\}/g, (_, parameter: string) => ref[parameter] ?? '');
