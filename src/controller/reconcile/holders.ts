// Who holds an object: objects that refer to it keep it from being deleted until they are gone, and objects that are to be
// made from it keep it from being deleted or replaced until they are made.
import { blocked, type Blocked } from '../../core/planning/plan.ts';
import { isTrue } from '../../core/status/condition.ts';
import type { FieldChange, Status } from '../../core/status/status.ts';
import type { Declarations } from '../../core/source/source.ts';
import type { Graph } from '../index/references.ts';

export interface HolderPorts {
  readonly graph: Pick<Graph, 'get' | 'holders'>;
  readonly source: Pick<Declarations, 'read'>;
}

/**
 * A child that failed, and of which nothing is outside: its parent declares another one, and no manifest could be removed to let it
 * go.
 */
const isGivenUp = (key: string, { conditions, pending }: Status, { graph }: HolderPorts): boolean =>
  graph.get(key)?.generatedBy !== undefined && pending === undefined && isTrue(conditions, 'Stalled');

/** `lasting`: those that hold it even once they are made. */
function holdersOf(key: string, ports: HolderPorts) {
  const { graph, source } = ports;
  const isMade = (holder: string) => {
    const status = source.read(holder)?.status;
    return status !== undefined && (status.externalRef !== undefined || isGivenUp(holder, status, ports));
  };
  return { all: [...graph.holders(key, isMade)].toSorted(), lasting: [...graph.holders(key, () => true)] };
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
