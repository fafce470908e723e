// Derives least-privilege policies from what is declared, in the form of each service.
import { pathNeeded, permissionsFor } from '../api/permissions.ts';
import type { Call } from '../controller/connections/calls.ts';
import { declaredCalls } from '../controller/permissions.ts';
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
  readonly unknown: readonly string[];
}

/** @throws as a dry run */
export const policiesFor = (
  of: string | ClusterOptions,
  options: DirectoryOptions,
  signal: AbortSignal,
): Promise<Policies> =>
  declaredIn(of, options, signal, async (ports) => {
    const { calls, unknown } = await declaredCalls(ports);
    const byConnection = Map.groupBy(calls, ({ via }) => via);
    const policies = [...byConnection].map(([connection, made]): TokenPolicy => {
      const service = made[0]?.connection.service ?? 'scheduler';
      return { connection, service, grants: grantsOf(made.flatMap(neededBy)) };
    });
    return { policies: policies.toSorted((a, b) => (a.connection < b.connection ? -1 : 1)), unknown };
  });

interface Needed extends Pick<Grant, 'on' | 'name'> {
  readonly capability: string;
  readonly object: string;
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
  const name = pathNeeded(op, ref);
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
