// Moves: an external object that another present declaration names is not destroyed with its object. The other object takes
// over its recorded identity and status, so that renaming a manifest never costs data.
import { formerMax, noStatus, type Status } from '../../core/status/status.ts';
import { blocked, gone, type Blocked, type Gone } from '../../core/planning/plan.ts';
import { isReadable, keyText, parseKey, type DeclaredObject, type ExternalRef } from '../../core/resource.ts';
import type { Entry } from '../../core/source/source.ts';
import type { Graph } from '../index/references.ts';
import { kinshipOf, type MovePorts } from './kinship.ts';

export interface Inheritance {
  readonly from: string;
  readonly status: Status;
}

export const takingOver = (from: string) =>
  ({ verb: 'adopt', summary: `take over from ${from}`, changes: [] }) as const;

/** Other objects whose external object is the same but for the namespace of the object. */
function namesakesOf<E, Reader>(
  object: DeclaredObject,
  ref: ExternalRef,
  { kinds, owners }: MovePorts<E, Reader>,
): readonly string[] {
  const external = kinds.get(object.key.kind)?.unplaced(object, ref);
  return external ? owners.namesakes(external, keyText(object.key)) : [];
}

type Known = Pick<Entry, 'object' | 'status'>;

const formersOf = ({ movedFrom, formerUIDs = [] }: Status): readonly string[] =>
  movedFrom === undefined ? [] : [movedFrom, ...formerUIDs];

/**
 * Whether an object took over what another one had, directly or from one that did. Where each did so in its turn, as where a name is
 * taken back, who did it later knows of more.
 */
export function tookOver(later: Known, one: Known): boolean {
  const [after, before] = [formersOf(later.status), formersOf(one.status)];
  return (
    after.includes(one.object.uid) && (!before.includes(later.object.uid) || after.length > before.length)
  );
}

/** It has no external object, and none is being made for it. */
const isUnmade = (status: Status | undefined): boolean =>
  status !== undefined && status.externalRef === undefined && status.pending === undefined;

/**
 * Whether the object may have moved to or from another namespace without saying so. What another object generates does not move,
 * and what only observes takes nothing over.
 */
const mayHaveMoved = <E, Reader>(key: string, ports: MovePorts<E, Reader>): boolean =>
  ports.graph.get(key)?.generatedBy === undefined && !isObserving(key, ports);

const isOfSameNamespace = (one: string, other: string): boolean =>
  parseKey(one)?.namespace === parseKey(other)?.namespace;

/**
 * Who may take over from an object being deleted: the objects whose `moved-from` names it, otherwise those that declare its
 * external object. `unsaid`: objects of other namespaces that may be it, moved. `naming`: an object that declares its external
 * object while a different one is recorded there. An object of another namespace to which access does not give what this one has is
 * none of these for what it says or is called.
 */
function heirsOf<E, Reader>(key: string, ref: ExternalRef, ports: MovePorts<E, Reader>) {
  const { graph, owners, kinds, source } = ports;
  const object = source.read(key)?.object;
  const stays = (other: string): boolean => other !== key && graph.stays(other);
  const external = object && kinds.get(object.key.kind)?.external(ref);
  const namesakes = (object ? namesakesOf(object, ref, ports) : []).filter(stays);
  const unmade = namesakes.filter((other) => isUnmade(source.read(other)?.status));
  const kin = new Map(unmade.map((other) => [other, kinshipOf(other, key, ports)]));
  const able = unmade.filter((other) => kin.get(other)?.mayTake);
  const took = namesakes.filter((other) => source.read(other)?.status.movedFrom === object?.uid);
  const declaring = [...new Set([...(external ? owners.claimants(external) : []), ...took])].filter(stays);
  const claimants = [...declaring, ...able];
  const counts = (other: string): boolean =>
    isOfSameNamespace(other, key) ||
    claimants.includes(other) ||
    !(kin.get(other) ?? kinshipOf(other, key, ports)).isStranger;
  const said = graph.heirs(key).filter(counts);
  const mayBe = (other: string): boolean => mayHaveMoved(other, ports) && kin.get(other)?.mayBe === true;
  const [naming] = external ? owners.namedBy(external).filter(stays) : [];
  return {
    claimants,
    declaring,
    heirs: said.length > 0 ? said : declaring,
    unsaid: mayHaveMoved(key, ports) ? unmade.filter(mayBe) : [],
    naming,
  };
}

/**
 * The object of another namespace from which one without an external object takes over, or may: the one that its `moved-from`
 * names, otherwise one that is being deleted.
 * @param isComplete whether all declarations are known. If not, one that stays may be about to be deleted
 */
export function formerOf<E, Reader>(
  { object, status }: { readonly object: DeclaredObject; readonly status: Status },
  located: ExternalRef,
  ports: MovePorts<E, Reader>,
  isComplete = true,
): string | undefined {
  if (object.deleting || !isUnmade(status)) return undefined;
  const key = keyText(object.key);
  const { source, graph } = ports;
  const namesakes = namesakesOf(object, located, ports).filter(
    (other) => source.read(other)?.status.externalRef !== undefined,
  );
  const said = namesakes.find(
    (other) => graph.heirs(other).includes(key) && kinshipOf(key, other, ports).mayTake,
  );
  const isLeft = (other: string): boolean =>
    !(isComplete && graph.stays(other)) && mayHaveMoved(other, ports) && kinshipOf(key, other, ports).mayBe;
  return said ?? (mayHaveMoved(key, ports) ? namesakes.find(isLeft) : undefined);
}

const howToSay =
  'holdfast.dev/moved-from in the new one says that it moves, another externalName that it does not';

const inProgress = (message: string, wake: Blocked['wake'] = { on: 'object' }): Blocked =>
  blocked('MoveInProgress', message, wake);

/**
 * How the visit of such an object ends while it can't take over.
 * @param askAgainMs when to ask again whether all declarations are known, on the monotonic clock. `undefined`: they are
 */
export function undecided(
  former: string,
  key: string,
  { graph }: { readonly graph: Graph },
  askAgainMs?: number,
): Blocked {
  const whom = toldOf(former, key);
  if (graph.heirs(former).includes(key))
    return inProgress(
      `it takes over from ${whom} once that is deleted, access gives it the data of that one, and nobody else is to take it over`,
    );
  if (graph.stays(former) && askAgainMs !== undefined)
    return inProgress(`${whom} has the same, and whether that is still declared is not known yet`, {
      on: 'time',
      atMs: askAgainMs,
    });
  return inProgress(`${whom} is deleted, and this may be it, moved: ${howToSay}`);
}

/** Whether the object only observes. It takes nothing over, so nothing waits for it. */
function isObserving<E, Reader>(key: string, { source, kinds }: MovePorts<E, Reader>): boolean {
  const object = source.read(key)?.object;
  return (
    object !== undefined &&
    isReadable(object) &&
    kinds.get(object.key.kind)?.open(object, {}).policy.management === 'ObserveOnly'
  );
}

/** An object's name as shown to readers of `key`. Names in other namespaces are not revealed. */
export const toldOf = (other: string, key: string): string =>
  isOfSameNamespace(other, key) ? other : 'an object of another namespace';

/** Whether an heir has what is recorded for a leaving object. One that is declared again has it once it knows what that one knows. */
function has<E, Reader>(heir: string, key: string, ports: MovePorts<E, Reader>): boolean {
  const [one, leaving] = [ports.source.read(heir), ports.source.read(key)];
  if (one?.status.externalRef === undefined) return false;
  return isObserving(heir, ports) || leaving?.object.held !== true || !tookOver(leaving, one);
}

const waiting = (message: string): Blocked => blocked('DeletionBlocked', message, { on: 'object' });

/**
 * How the visit of a leaving object ends because another object declares its external object. `undefined`: none does.
 * @param keeps nothing is destroyed, so the object does not wait for those that may be it and do not say so
 */
export function movingAway<E, Reader>(
  key: string,
  { externalRef }: Status,
  ports: MovePorts<E, Reader>,
  keeps = false,
): Blocked | Gone | undefined {
  if (!externalRef) return undefined;
  const { heirs, claimants, declaring, unsaid, naming } = heirsOf(key, externalRef, ports);
  const [heir, other] = heirs;
  if (heir === undefined && naming !== undefined)
    return waiting(
      `${toldOf(naming, key)} declares what it has, and another external object is recorded for that one`,
    );
  if (heir === undefined)
    return unsaid[0] === undefined || keeps
      ? undefined
      : waiting(`${toldOf(unsaid[0], key)} may be it, moved: ${howToSay}`);
  if (other !== undefined)
    return waiting(
      `${toldOf(heir, key)} and ${toldOf(other, key)} declare what it has: holdfast.dev/moved-from says which of them takes it over`,
    );
  if (!claimants.includes(heir))
    return waiting(
      `${toldOf(heir, key)} is to take it over, and declares another external object, or access does not give it the data of this one`,
    );
  if (has(heir, key, ports)) return { ...gone(`it has moved to ${heir}`, false), moved: true };
  if (isObserving(heir, ports) && !declaring.includes(heir))
    return waiting(`${toldOf(heir, key)} is to take it over, and only observes: it could not find it`);
  if (isObserving(heir, ports) && ports.owners.isAllowed(heir))
    return gone(`kept: ${toldOf(heir, key)} observes it`, false);
  return inProgress(`it moves to ${toldOf(heir, key)}`);
}

export function inheritance<E, Reader>(
  key: string,
  object: DeclaredObject,
  owner: string,
  located: ExternalRef,
  ports: MovePorts<E, Reader>,
): Inheritance | undefined {
  const before = ports.source.read(owner);
  if (!before?.object.deleting || !before.object.held || before.object.key.kind !== object.key.kind)
    return undefined;
  const { status } = before;
  if (!status.externalRef) return undefined;
  const { heirs, claimants } = heirsOf(owner, status.externalRef, ports);
  if (heirs.length !== 1 || heirs[0] !== key || !claimants.includes(key)) return undefined;
  const { identity, own, pending, applied, handledRequests, history } = status;
  const former = formersOf(status).slice(0, formerMax);
  return {
    from: owner,
    status: {
      ...noStatus,
      externalRef: located,
      applied,
      history,
      // Requests present at first sight were answered for the former object, or are the baseline.
      handledRequests: { ...handledRequests, ...object.requests },
      movedFrom: before.object.uid,
      ...(former.length > 0 && { formerUIDs: former }),
      ...(identity !== undefined && { identity }),
      ...(own !== undefined && { own }),
      ...(pending && { pending }),
    },
  };
}
