// The calls that declared objects come to: from declarations alone, no service is asked.
import type { Connection } from '../core/connection.ts';
import { keyText, type ExternalRef } from '../core/resource.ts';
import { enter } from './index/indexing.ts';
import { meet, subjectOf } from './reconcile/decision.ts';
import type { PreconditionPorts } from './reconcile/preconditions.ts';

/** A call through a connection. */
export interface Call {
  readonly op: string;
  /** keyText of who makes it. */
  readonly object: string;
  /** keyText of the connection. */
  readonly via: string;
  readonly connection: Connection;
  /** What it is about: its parameters. */
  readonly ref: ExternalRef;
  readonly namespace: string;
}

export interface Calls {
  readonly calls: readonly Call[];
  /** Objects whose calls can't be told: what they refer to is missing, or they can't be used. */
  readonly untold: readonly string[];
}

export async function callsOf<E, Reader>(ports: PreconditionPorts<E, Reader>): Promise<Calls> {
  const { source, kinds, owners, connections, graph } = ports;
  const keys = [...source.keys()].toSorted();
  for (const key of keys) enter(key, ports);
  const isConnection = (key: string) =>
    kinds.get(source.read(key)?.object.key.kind ?? '')?.connectionField === undefined;
  // Opened only: nothing is sent before somebody looks.
  const ordered = [...keys.filter(isConnection), ...keys.filter((key) => !isConnection(key))];
  const calls: Call[] = [];
  const untold: string[] = [];
  for (const key of ordered) {
    const entry = source.read(key);
    const kind = entry && kinds.get(entry.object.key.kind);
    if (!entry || !kind || entry.object.deleting) continue;
    if (!(await isMet(key, ports))) {
      untold.push(key);
      continue;
    }
    const own = isConnection(key) ? key : graph.get(key)?.connection;
    const connection = own === undefined ? undefined : connections.defined(own);
    const ref = isConnection(key) ? {} : owners.refOf(key);
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

async function isMet<E, Reader>(key: string, ports: PreconditionPorts<E, Reader>): Promise<boolean> {
  const entry = ports.source.read(key);
  if (!entry) return false;
  try {
    const { met } = await meet(subjectOf(key, entry), ports);
    return !('is' in met && met.is === 'failed');
  } catch {
    return false; // its spec can't be used
  }
}
