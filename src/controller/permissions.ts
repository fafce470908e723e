// Lists the service calls that declared objects make, for least-privilege policies (`holdfast policy`). It evaluates
// declarations only and sends nothing.
import type { Connection } from '../core/connection.ts';
import { SpecError } from '../core/errors.ts';
import { keyText, type ExternalRef } from '../core/resource.ts';
import { isConnection } from './index/connection-path.ts';
import { enter } from './index/indexing.ts';
import { meet, subjectOf, type Subject } from './reconcile/decision.ts';
import type { PreconditionPorts } from './reconcile/preconditions.ts';

export interface Call {
  readonly op: string;
  /** keyText of the object. */
  readonly object: string;
  /** keyText of the connection. */
  readonly via: string;
  readonly connection: Connection;
  /** The external object, whose parts are the parameters of the call. */
  readonly ref: ExternalRef;
  readonly namespace: string;
}

export interface Calls {
  readonly calls: readonly Call[];
  /** Objects whose calls are unknown: a referent is missing, or the spec is invalid. */
  readonly untold: readonly string[];
}

export async function callsOf<E, Reader>(ports: PreconditionPorts<E, Reader>): Promise<Calls> {
  const { source, kinds, owners, connections, graph } = ports;
  const keys = [...source.keys()].toSorted();
  for (const key of keys) enter(key, ports);
  // Connections are opened before the other objects, which need their definitions. Opening sends nothing.
  const { connection: first = [], other = [] } = Object.groupBy(keys, (key) =>
    isConnection(key, ports) ? 'connection' : 'other',
  );
  const calls: Call[] = [];
  const untold: string[] = [];
  for (const key of [...first, ...other]) {
    const entry = source.read(key);
    const kind = entry && kinds.get(entry.object.key.kind);
    if (!entry || !kind || entry.object.deleting) continue;
    if (!(await isMet(subjectOf(key, entry), ports))) {
      untold.push(key);
      continue;
    }
    const own = isConnection(key, ports) ? key : graph.get(key)?.connection;
    const connection = own === undefined ? undefined : connections.defined(own);
    const ref = isConnection(key, ports) ? {} : owners.refOf(key);
    const opened = kind.open(entry.object, connection?.defaults ?? {});
    const targets = new Map(
      opened.references.flatMap((one) => (one.to === 'object' ? [[one.field, keyText(one.target)]] : [])),
    );
    for (const { op, via, namespace } of opened.uses()) {
      const at = via === undefined ? own : targets.get(via);
      const used = at === undefined ? undefined : connections.defined(at);
      if (at === undefined || !used || !ref) untold.push(key);
      else
        calls.push({
          op,
          object: key,
          via: at,
          connection: used,
          ref,
          namespace: namespace ?? used.namespace,
        });
    }
  }
  return { calls, untold: [...new Set(untold)] };
}

async function isMet<E, Reader>(subject: Subject, ports: PreconditionPorts<E, Reader>): Promise<boolean> {
  try {
    const { met } = await meet(subject, ports);
    return !('is' in met && met.is === 'failed');
  } catch (error) {
    if (error instanceof SpecError) return false;
    throw error;
  }
}
