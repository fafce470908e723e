// Derives least-privilege policies from what is declared, in the form of each service.
import { schedulerDialect } from '../api/dialects.ts';
import { schedulerRoutes } from '../api/scheduler/routes.ts';
import { secretsRoutes } from '../api/secrets/routes.ts';
import type { Route } from '../api/route.ts';
import { callsOf, type Call } from '../controller/permissions.ts';
import { declaredIn, type DirectoryOptions } from './dry-run.ts';
import type { ClusterOptions } from './kubernetes/cluster.ts';

export interface Grant {
  /** namespace: of the scheduler. level: for plugins and nodes. path: of the secrets service. */
  readonly on: 'namespace' | 'level' | 'path';
  readonly name: string;
  readonly capabilities: readonly string[];
  /** keyText of the objects that need it. */
  readonly objects: readonly string[];
}

export interface TokenPolicy {
  /** keyText of the connection. */
  readonly connection: string;
  readonly service: 'scheduler' | 'secrets';
  readonly grants: readonly Grant[];
}

export interface Policies {
  readonly policies: readonly TokenPolicy[];
  /** keyText of objects whose needs could not be determined. */
  readonly untold: readonly string[];
}

/** @throws as a dry run */
export const policiesFor = (
  of: string | ClusterOptions,
  options: DirectoryOptions,
  signal: AbortSignal,
): Promise<Policies> =>
  declaredIn(of, options, signal, async (ports) => {
    const { calls, untold } = await callsOf(ports);
    const byConnection = Map.groupBy(calls, ({ via }) => via);
    const policies = [...byConnection].map(([connection, made]): TokenPolicy => {
      const service = made[0]?.connection.service ?? 'scheduler';
      return { connection, service, grants: grantsOf(made.flatMap(neededBy)) };
    });
    return { policies: policies.toSorted((a, b) => (a.connection < b.connection ? -1 : 1)), untold };
  });

interface Needed extends Pick<Grant, 'on' | 'name'> {
  readonly capability: string;
  readonly object: string;
}

type Asked = Pick<Route, 'acl' | 'method' | 'path'>;

/** A socket, so the routes do not include it. */
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

/** Permissions that every token has. */
const free: ReadonlySet<string> = new Set(['none', 'token']);

/** The permissions of a call: for the scheduler `<on>:<capability>`, for the secrets service capabilities on its path. */
export function permissionsFor(op: string, dialect: string): readonly string[] {
  const route = routes.get(op);
  if (!route) throw new Error(`there is no operation ${op}`);
  const { permissions } = schedulerDialect(dialect);
  const all = Object.hasOwn(permissions, op) ? (permissions[op] ?? []) : [route.acl];
  // A write is a create or an update, depending on whether the object exists, so it needs both.
  return all
    .filter((one) => !free.has(one))
    .flatMap((one) => (one === 'update' && op.endsWith('.write') ? ['create', one] : [one]));
}

function neededBy(call: Call): readonly Needed[] {
  const { op, object, connection, ref, namespace } = call;
  const permissions = permissionsFor(op, connection.dialect);
  if (connection.service === 'scheduler') {
    return permissions.map((permission) => {
      const [on = '', capability = ''] = permission.split(':');
      return on === 'namespace'
        ? { on, name: namespace, capability, object }
        : { on: 'level', name: on, capability, object };
    });
  }
  const name = (routes.get(op)?.path ?? '')
    .replace(/^\/v1\//, '')
    .replaceAll(/\{([a-z]+)\}/g, (_, parameter: string) => ref[parameter] ?? '');
  return permissions.map((capability) => ({ on: 'path', name, capability, object }));
}

const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].toSorted();

/** A policy has one level, and `read` includes `list`. */
const highest = (grant: Grant): Grant =>
  grant.on === 'level' && grant.capabilities.includes('read') ? { ...grant, capabilities: ['read'] } : grant;

function grantsOf(needed: readonly Needed[]): readonly Grant[] {
  const grouped = Map.groupBy(needed, ({ on, name }) => `${on} ${name}`);
  const grants = [...grouped.values()].flatMap((all): Grant[] => {
    const [first] = all;
    if (!first) return [];
    const { on, name } = first;
    const capabilities = sorted(all.map(({ capability }) => capability));
    return [{ on, name, capabilities, objects: sorted(all.map(({ object }) => object)) }];
  });
  return grants.map(highest).toSorted((a, b) => (`${a.on} ${a.name}` < `${b.on} ${b.name}` ? -1 : 1));
}
