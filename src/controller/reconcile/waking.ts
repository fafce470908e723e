// Who is woken once an object is made or gone: what it refers to may have waited for it, to be deleted or replaced.
import { keyText } from '../../core/resource.ts';
import type { Graph, Node } from '../index/references.ts';
import { isServing, type LastVisit } from './endings.ts';
import { stillAwaited, type HolderPorts } from './holders.ts';

/** Whether what the object waited for in this visit has been made since: nobody wakes it for that any more. */
export const isReleased = (key: string, visit: LastVisit, ports: HolderPorts): boolean =>
  isServing(visit) && stillAwaited(key, [], ports) === undefined;

/** Objects that may have waited for one that refers to them: to be deleted, or to be replaced. */
export const heldBy = (
  node: Node | undefined,
  last: (key: string) => LastVisit | undefined,
  { graph }: { readonly graph: Pick<Graph, 'get'> },
): readonly string[] =>
  (node?.references ?? [])
    .map(({ target }) => keyText(target))
    .filter((key) => graph.get(key)?.deleting === true || isServing(last(key)));
