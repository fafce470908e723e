// The service calls that an object makes, from its declaration alone, before it is reconciled. Sends nothing.
import type { Connection } from '../../core/connection.ts';
import { isReadable, keyText, type DeclaredObject, type ExternalRef } from '../../core/resource.ts';
import type { Opened } from '../../core/kind/opened.ts';
import type { Entry } from '../../core/source/source.ts';
import { connectionPathOf, isConnection } from '../index/connection-path.ts';
import { outputsAlong } from '../reconcile/resolve.ts';
import type { Resolving } from '../reconcile/resolve.ts';

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
  /** Some calls are unknown: a referent is missing, or the spec is invalid. */
  readonly incomplete: boolean;
}

const unknown: Calls = { calls: [], incomplete: true };

/** @param ports the definitions of connections come from those that were opened before */
export function callsOf<E, Reader>(key: string, ports: Resolving<E, Reader>): Calls {
  const entry = ports.source.read(key);
  if (!entry || entry.object.problem || !isReadable(entry.object)) return unknown;
  const own = isConnection(key, ports) ? ownCalls(entry.object, ports) : managedCalls(entry, ports);
  if (!own) return unknown;
  const { opened, via: ownConnection, ref } = own;
  const targets = new Map(
    opened.references.flatMap((one) => (one.to === 'object' ? [[one.field, keyText(one.target)]] : [])),
  );
  const uses = opened.uses();
  const calls = uses.flatMap(({ op, via: field, namespace }) => {
    const via = field === undefined ? ownConnection : targets.get(field);
    const connection = via === undefined ? undefined : ports.connections.defined(via);
    if (via === undefined || !connection) return [];
    return [{ op, object: key, via, connection, ref, namespace: namespace ?? connection.namespace }];
  });
  return { calls, incomplete: calls.length < uses.length };
}

interface Own<E, Reader> {
  readonly opened: Opened<E, Reader>;
  readonly via: string;
  readonly ref: ExternalRef;
}

function ownCalls<E, Reader>(
  object: DeclaredObject,
  { kinds }: Resolving<E, Reader>,
): Own<E, Reader> | undefined {
  const opened = kinds.get(object.key.kind)?.open(object, {});
  return opened && { opened, via: keyText(object.key), ref: {} };
}

function managedCalls<E, Reader>(
  { object, status }: Entry,
  ports: Resolving<E, Reader>,
): Own<E, Reader> | undefined {
  const path = connectionPathOf(object, ports.kinds, (at) => ports.source.read(at));
  if (!path || 'missing' in path) return undefined;
  const via = keyText(path.connection);
  const connection = ports.connections.defined(via);
  const opened = connection && ports.kinds.get(object.key.kind)?.open(object, connection.defaults);
  if (!opened) return undefined;
  const located = () =>
    opened.locate(
      connection,
      new Map([[path.field, { state: 'ready', outputs: outputsAlong(path, ports) }]]),
    );
  return { opened, via, ref: status.externalRef ?? located() };
}
