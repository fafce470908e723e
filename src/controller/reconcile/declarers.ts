// Whose declaration keeps data from being destroyed. The access rules are judged when data is about to be destroyed, not when
// the declaration is indexed: an administrator may edit them at any time.
import { mayUseAll } from '../../core/connection.ts';
import { isReadable, type Key } from '../../core/resource.ts';
import type { ExternalOwners } from '../index/external-owners.ts';
import type { Graph } from '../index/references.ts';
import { declaredConnection, type Resolving } from './resolve.ts';

export interface DeclarerPorts<E, Reader> extends Pick<Resolving<E, Reader>, 'kinds' | 'source'> {
  readonly graph: Pick<Graph, 'get'>;
  readonly owners: Pick<ExternalOwners, 'declarers'>;
}

/** Another object whose declaration names the data and counts. @param besides the object to leave out */
export const declarerOf = <E, Reader>(
  data: string,
  besides: string,
  ports: DeclarerPorts<E, Reader>,
): string | undefined => ports.owners.declarers(data, besides).find((key) => countsFor(key, data, ports));

/** Whether the declaration of the data by an object that names it counts. */
export function countsFor<E, Reader>(key: string, data: string, ports: DeclarerPorts<E, Reader>): boolean {
  const entry = ports.source.read(key);
  const kind = entry && ports.kinds.get(entry.object.key.kind);
  if (!kind || !isReadable(entry.object)) return true;
  const opened = kind.open(entry.object, {});
  const named = opened.declaredData(entry.status).find(({ name }) => name === data);
  if (!named?.ifAllowed) return true;
  const connection = ports.source.read(ports.graph.get(key)?.connection ?? '')?.object.key;
  return isAllowed(entry.object.key, connection, opened.names, ports);
}

/**
 * Whether the access rules, as they are declared now, allow an object all these names. Without a connection, nothing is allowed.
 * If the declaration of the connection can't be read, all is: what it would forbid is not known.
 */
function isAllowed<E, Reader>(
  object: Key,
  connection: Key | undefined,
  names: readonly string[],
  ports: DeclarerPorts<E, Reader>,
): boolean {
  if (!connection) return false;
  const declared = declaredConnection(connection, ports);
  return !declared || mayUseAll(declared.access, object, names);
}
