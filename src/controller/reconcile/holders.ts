// Who holds an object: objects that refer to it keep it from being deleted until they are gone, and objects that are to be
// made from it keep it from being deleted or replaced until they are made.
import { blocked, type Blocked } from '../../core/planning/plan.ts';
import { isTrue } from '../../core/status/condition.ts';
import type { FieldChange, Status } from '../../core/status/status.ts';
import { isReadable, type DeclaredObject } from '../../core/resource.ts';
import type { Declarations, Entry } from '../../core/source/source.ts';
import type { Graph } from '../index/references.ts';

export interface HolderPorts {
  readonly kinds: ReadonlyMap<
    string,
    { open(object: DeclaredObject, defaults: object): { isToBeReplaced(status: Status): boolean } }
  >;
  readonly graph: Pick<Graph, 'get' | 'holders'>;
  readonly source: Pick<Declarations, 'read'>;
  /** In a dry run: whether an object will be gone once its plan is carried out. Absent in a reconcile. */
  readonly leaves?: (key: string) => boolean;
}

/**
 * A child that failed, and of which nothing is outside: its parent declares another one, and no manifest could be removed to let it
 * go.
 */
const isGivenUp = (key: string, { conditions, pending }: Status, { graph }: HolderPorts): boolean =>
  graph.get(key)?.generatedBy !== undefined && pending === undefined && isTrue(conditions, 'Stalled');

/** Whether an object is to be made anew, as it is declared now. What is being deleted is not. */
const isToBeReplaced = ({ object, status }: Entry, { kinds }: Pick<HolderPorts, 'kinds'>): boolean =>
  !object.deleting &&
  isReadable(object) &&
  kinds.get(object.key.kind)?.open(object, {}).isToBeReplaced(status) === true;

/** Whether an object has its external object, made as it is declared now. */
export const isMade = (entry: Entry, ports: Pick<HolderPorts, 'kinds'>): boolean =>
  entry.status.externalRef !== undefined && !isToBeReplaced(entry, ports);

/** It is made, or it never will be: it has failed for good, or it leaves and never had anything outside. */
const waitsForNothing = (key: string, entry: Entry, ports: HolderPorts): boolean =>
  isMade(entry, ports) ||
  (entry.object.deleting && !entry.object.held) ||
  isGivenUp(key, entry.status, ports);

/** `lasting`: those that hold it even once they are made. */
function holdersOf(key: string, ports: HolderPorts) {
  const { graph, source, leaves = () => false } = ports;
  const staying = (holders: Iterable<string>) => [...holders].filter((holder) => !leaves(holder));
  const needsNothing = (holder: string) => {
    const entry = source.read(holder);
    return entry !== undefined && waitsForNothing(holder, entry, ports);
  };
  return {
    all: staying(graph.holders(key, needsNothing)).toSorted(),
    lasting: staying(graph.holders(key, () => true)),
  };
}

const named = (holders: readonly string[]): string =>
  holders.length === 1 ? `${holders[0]}` : `${holders[0]} and ${holders.length - 1} more`;

/** Objects are deleted in reverse order of their references: one that is still used stays. */
export function stillUsed(key: string, ports: HolderPorts): Blocked | undefined {
  const { all, lasting } = holdersOf(key, ports);
  if (all.length === 0) return undefined;
  const plan = blocked('DeletionBlocked', `still used by ${named(all)}`, { on: 'object' });
  return lasting.length === 0 ? { ...plan, serves: true } : plan;
}

/** What is declared of an object is made from it, and not from the one that replaces it. */
export function stillAwaited(
  key: string,
  changes: readonly FieldChange[],
  ports: HolderPorts,
): Blocked | undefined {
  const { all, lasting } = holdersOf(key, ports);
  const awaiting = all.filter((holder) => !lasting.includes(holder));
  if (awaiting.length === 0) return undefined;
  const message = `${named(awaiting)} is made from it first`;
  return { ...blocked('ReplacementBlocked', message, { on: 'object' }, changes), serves: true };
}
