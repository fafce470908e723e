// Who is woken once an object is made, edited or gone: what it refers to may have waited for it, to be deleted or replaced.
// Once it is ready, or tells something else: what refers to it may have waited for that. And once the service lacks what it
// needs: that may be what it refers to.
import { ApiError } from '../../core/errors.ts';
import { canonical } from '../../core/hash.ts';
import { isReadable, keyText, type DeclaredObject } from '../../core/resource.ts';
import { isTrue } from '../../core/status/condition.ts';
import type { Status } from '../../core/status/status.ts';
import type { Entry } from '../../core/source/source.ts';
import type { Graph, Node } from '../index/references.ts';
import { isServing, type LastVisit, type Visit } from './endings.ts';
import { isMade, stillAwaited, type HolderPorts } from './holders.ts';

const reasonOf = ({ conditions }: Status): string | undefined =>
  conditions.find(({ type }) => type === 'Ready')?.reason;

const isReady = (seen: Pick<Entry, 'status'> | undefined): boolean =>
  isTrue(seen?.status.conditions ?? [], 'Ready');

interface UserPorts {
  readonly kinds: ReadonlyMap<
    string,
    {
      open(
        object: DeclaredObject,
        defaults: object,
      ): { outputs(status: Status): Readonly<Record<string, string>> };
    }
  >;
  readonly graph: Pick<Graph, 'dependents' | 'get'>;
}

/**
 * Those that refer to an object which a visit has made ready, or made again where it was gone, or which tells them something else
 * since. What it tells may depend on its declaration alone, so an edit counts as well.
 */
function servedAnew(
  key: string,
  before: Entry | undefined,
  visit: Pick<Visit, 'status' | 'done'>,
  { graph, kinds }: UserPorts,
): readonly string[] {
  const users = graph.dependents(key);
  if (users.length === 0 || (!isReady(before) && isReady(visit))) return users;
  if (visit.done.some(({ verb }) => verb === 'revive')) return users;
  if (!before || !isReadable(before.object)) return [];
  if (before.status.observedGeneration !== visit.status.observedGeneration) return users;
  const told = ({ status }: Pick<Entry, 'status'>) =>
    canonical(kinds.get(before.object.key.kind)?.open(before.object, {}).outputs(status));
  return told(before) === told(visit) ? [] : users;
}

/**
 * What the object refers to, where the service has just begun to lack something that the object needs. It may be gone there, though
 * it was in order when it was last looked at. Once per wait: otherwise many that wait would have it read again and again.
 */
function doubtedBy(
  key: string,
  before: Entry | undefined,
  { ending, status }: Pick<Visit, 'ending' | 'status'>,
  graph: UserPorts['graph'],
): readonly string[] {
  if (ending.is !== 'failed' || !(ending.error instanceof ApiError) || ending.error.class !== 'waiting')
    return [];
  if (before && reasonOf(before.status) === reasonOf(status)) return [];
  const { references = [], connection } = graph.get(key) ?? {};
  return references.map(({ target }) => keyText(target)).filter((target) => target !== connection);
}

/** Who is to look again after a visit to an object: its parent, what it refers to, and what refers to it. */
export const concernedBy = (
  key: string,
  before: Entry | undefined,
  visit: Visit,
  ports: UserPorts,
): readonly string[] => [
  ...[ports.graph.get(key)?.generatedBy ?? []].flat(),
  ...servedAnew(key, before, visit, ports),
  ...doubtedBy(key, before, visit, ports.graph),
];

/** Whether what the object waited for in this visit has been made since: nobody wakes it for that any more. */
export const isReleased = (key: string, visit: LastVisit, ports: HolderPorts): boolean =>
  isServing(visit) && stillAwaited(key, [], ports) === undefined;

/** Whether an object has come to be made as it is declared, between two moments of a visit. @param before `undefined`: it was not known */
export const hasBeenMade = (
  before: Entry | undefined,
  after: Entry,
  ports: Pick<HolderPorts, 'kinds'>,
): boolean => isMade(after, ports) && !(before && isMade(before, ports));

/** Whether it is declared otherwise than before. What it referred to then may have waited for it, and it may need that no more. */
export const isEdited = (before: Node | undefined, now: Node | undefined): boolean =>
  before?.uid !== now?.uid || before?.generation !== now?.generation || before?.deleting !== now?.deleting;

/** Objects that may have waited for one that refers to them: to be deleted, or to be replaced. */
export const heldBy = (
  node: Node | undefined,
  last: (key: string) => LastVisit | undefined,
  { graph }: { readonly graph: Pick<Graph, 'get'> },
): readonly string[] =>
  (node?.references ?? [])
    .map(({ target }) => keyText(target))
    .filter((key) => graph.get(key)?.deleting === true || isServing(last(key)));
