// What an object stands on during one visit: its references, its connection, its external name, its place in the
// deletion budget. Either all of it is there, or the visit ends here and says why.
import type { Opened as OpenedObject } from '../core/kind.ts';
import type { Ending } from '../core/outcome.ts';
import { blocked, type Gone } from '../core/plan.ts';
import { releases } from '../core/policy.ts';
import { keyText, type Memory, type Resolution, type Stored } from '../core/resource.ts';
import type { Json } from '../core/secret.ts';
import type { Connections, Opened } from './connections.ts';
import type { Deletions } from './deletions.ts';
import type { Graph } from './graph.ts';
import type { Owners } from './owners.ts';
import { resolve, useConnection, type Resolving } from './resolve.ts';

export interface GroundPorts<E, Reader> extends Resolving<E, Reader> {
  readonly connections: Connections<E, Reader>;
  readonly graph: Graph;
  readonly owners: Owners;
  readonly deletions: Deletions;
}

export interface Ground<E, Reader> {
  readonly opened: OpenedObject<E, Reader>;
  readonly used: Opened<E, Reader>;
  readonly resolved: ReadonlyMap<string, Resolution>;
}

/** What is being visited. */
interface Visited {
  readonly key: string;
  readonly object: Stored;
  readonly memory: Memory<Json>;
}

/** @returns the ground, or how the visit ends without it. @throws SpecError */
export function groundOf<E, Reader>(
  visited: Visited,
  ports: GroundPorts<E, Reader>,
): Ground<E, Reader> | Ending | Gone {
  const { key, object } = visited;
  const kind = ports.kinds.get(object.key.kind);
  if (!kind) throw new Error(`no kind ${object.key.kind}`);
  const first = kind.open(object, {});
  const leaving = object.deleting ? stillUsed(key, ports.graph) : undefined;
  if (leaving) return leaving;
  const resolved = new Map<string, Resolution>();
  for (const reference of first.references) {
    if (reference.field !== kind.connectionField) resolved.set(reference.field, resolve(reference, ports));
  }
  const unresolved = object.deleting ? undefined : firstUnresolved(resolved);
  if (kind.connectionField === undefined) {
    if (object.deleting) return gone('nothing uses it any more');
    if (unresolved) return unresolved;
    const connection = first.connect(resolved);
    if (!connection) throw new Error(`${object.key.kind} has no connection`);
    return { opened: first, used: ports.connections.open(key, connection), resolved };
  }
  const through = first.references.find((r) => r.field === kind.connectionField);
  if (!through) throw new Error(`${kind.connectionField} is not declared`);
  // Never held: nothing outside is ours, so nothing outside has to be reachable.
  if (object.deleting && !object.held) return gone('nothing of it was outside');
  const connection = keyText(through.target);
  if (object.deleting && releases(first.policy))
    return budget(key, connection, ports) ?? gone('kept as it is');
  const use = useConnection(through.target, { key: object.key, externalName: first.externalName }, ports);
  if (use.state === 'unusable') {
    return { is: 'parked', message: `${through.field}: ${use.message}`, early: use.early };
  }
  if (use.state !== 'usable') return notUsable(through.field, use.state, use.message, object.deleting);
  if (unresolved) return unresolved;
  resolved.set(through.field, { state: 'ready', outputs: use.outputs });
  const opened = kind.open(object, use.opened.connection.defaults);
  const ended =
    taken(visited, opened, use.opened, ports.owners) ??
    (object.deleting ? budget(key, connection, ports) : undefined);
  return ended ?? { opened, used: use.opened, resolved };
}

/** Reverse order: what others still need stays. */
function stillUsed(key: string, graph: Graph): Ending | undefined {
  const holders = [...graph.holders(key)].toSorted();
  if (holders.length === 0) return undefined;
  const more = holders.length === 1 ? '' : ` and ${holders.length - 1} more`;
  return {
    is: 'blocked',
    plan: blocked('DeletionBlocked', `still used by ${holders[0]}${more}`, { on: 'object' }),
  };
}

function budget<E, Reader>(
  key: string,
  connection: string,
  ports: GroundPorts<E, Reader>,
): Ending | undefined {
  const limits = ports.connections.limits(connection);
  if (!limits) return { is: 'parked', message: `${connection} has not been looked at yet`, early: true };
  const verdict = ports.deletions.verdict(key, connection, limits);
  if (verdict.is === 'within') return undefined;
  return { is: 'blocked', plan: blocked('DeletionLimit', verdict.message, { on: 'approval' }) };
}

/** Two declarations of one external object: the second waits and names the first. */
function taken<E, Reader>(
  { key, object, memory }: Visited,
  opened: OpenedObject<E, Reader>,
  used: Opened<E, Reader>,
  owners: Owners,
): Ending | Gone | undefined {
  const ref = memory.externalRef ?? opened.locate(used.connection);
  const owner = owners.claim(ref, key, memory.externalRef !== undefined);
  if (owner === key) return undefined;
  const message = `its external object belongs to ${owner}`;
  if (object.deleting) return gone(message);
  return { is: 'blocked', plan: blocked('ExternalNameTaken', message, { on: 'object' }) };
}

const gone = (because: string): Gone => ({ verdict: 'gone', because, removed: false });

function firstUnresolved(resolved: ReadonlyMap<string, Resolution>): Ending | undefined {
  for (const [field, resolution] of resolved) {
    if ('message' in resolution) return notUsable(field, resolution.state, resolution.message, false);
  }
  return undefined;
}

function notUsable(
  field: string,
  state: 'waiting' | 'missing' | 'denied',
  message: string,
  deleting: boolean,
): Ending {
  const reason = state === 'denied' ? 'UseDenied' : deleting ? 'DeletionBlocked' : 'DependencyNotReady';
  return { is: 'blocked', plan: blocked(reason, `${field}: ${message}`, { on: 'object' }) };
}
