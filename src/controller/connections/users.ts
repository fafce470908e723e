// Who uses a connection, and for what calls: from declarations alone, before any of them was visited.
import type { Users } from '../../core/kind/permission.ts';
import type { Graph } from '../index/references.ts';
import type { Resolving } from '../reconcile/resolve.ts';
import { callsOf } from './calls.ts';

export const usersOf = <E, Reader>(
  key: string,
  ports: Resolving<E, Reader> & { readonly graph: Graph },
): Users => {
  const { all, revision } = ports.graph.population(key);
  return {
    revision,
    count: all.size,
    calls: () => [...all].flatMap((user) => callsOf(user, ports).calls.filter(({ via }) => via === key)),
  };
};
