// Who uses a connection, and for what calls: from declarations alone, before any of them was visited.
import type { Connection } from '../../core/connection.ts';
import type { UsedBy, Users } from '../../core/permission.ts';
import { isReadable, keyText, type ExternalRef } from '../../core/resource.ts';
import { connectionPathOf } from '../index/connection-path.ts';
import type { PreconditionPorts } from '../reconcile/preconditions.ts';

type Ports<E, Reader> = Pick<PreconditionPorts<E, Reader>, 'source' | 'kinds' | 'graph'>;

export const usersOf = <E, Reader>(key: string, connection: Connection, ports: Ports<E, Reader>): Users => {
  const { all, revision } = ports.graph.population(key);
  return {
    revision,
    count: all.size,
    calls: () => [...all].flatMap((user) => callsOf(user, connection, ports)),
  };
};

/** Nothing where it can't be told: what it belongs to is missing, or can't be read. */
function callsOf<E, Reader>(
  key: string,
  connection: Connection,
  { source, kinds }: Ports<E, Reader>,
): readonly UsedBy[] {
  const entry = source.read(key);
  const kind = entry && kinds.get(entry.object.key.kind);
  if (!entry || !kind || !isReadable(entry.object)) return [];
  const way = connectionPathOf(entry.object, kinds, (at) => source.read(at));
  if (!way || 'missing' in way) return [];
  const outputs: Record<string, string> = {};
  for (const target of way.between.toReversed()) {
    const found = source.read(keyText(target));
    if (found) Object.assign(outputs, kinds.get(target.kind)?.open(found.object, {}).outputs(found.status));
  }
  const opened = kind.open(entry.object, connection.defaults);
  const ref: ExternalRef =
    entry.status.externalRef ??
    opened.locate(connection, new Map([[way.field, { state: 'ready', outputs }]]));
  return opened.uses().flatMap(({ op, via }) => (via === undefined ? [{ op, object: key, ref }] : []));
}
