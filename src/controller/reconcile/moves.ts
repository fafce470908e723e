// Moves: an external object that another present declaration names is not destroyed with its object. The other object takes
// over its recorded identity and status, so that renaming a manifest never costs data.
import { formerMax, noStatus, type Status } from '../../core/status/status.ts';
import { blocked, gone, type Blocked, type Gone } from '../../core/planning/plan.ts';
import type { Policy } from '../../core/planning/policy.ts';
import {
  isReadable,
  keyText,
  parseKey,
  type DeclaredObject,
  type ExternalObject,
  type ExternalRef,
} from '../../core/resource.ts';
import type { Declarations } from '../../core/source/source.ts';
import type { Graph } from '../index/references.ts';
import type { ExternalOwners } from '../index/external-owners.ts';

interface Ports {
  readonly kinds: ReadonlyMap<
    string,
    {
      open(object: DeclaredObject, defaults: object): { readonly policy: Policy };
      external(ref: ExternalRef): ExternalObject;
      unplaced(object: Pick<DeclaredObject, 'key' | 'spec'>, ref: ExternalRef): ExternalObject | undefined;
    }
  >;
  readonly source: Pick<Declarations, 'read'>;
  readonly graph: Graph;
  readonly owners: ExternalOwners;
}

export interface Inheritance {
  readonly from: string;
  readonly status: Status;
}

export const takingOver = (from: string) =>
  ({ verb: 'adopt', summary: `take over from ${from}`, changes: [] }) as const;

/** Other objects whose external object is the same but for the namespace of the object. */
function namesakesOf(object: DeclaredObject, ref: ExternalRef, { kinds, owners }: Ports): readonly string[] {
  const external = kinds.get(object.key.kind)?.unplaced(object, ref);
  return external ? owners.namesakes(external, keyText(object.key)) : [];
}

/** It has no external object, and none is being made for it. */
const isUnmade = (status: Status | undefined): boolean =>
  status !== undefined && status.externalRef === undefined && status.pending === undefined;

/**
 * Whether the object may have moved to or from another namespace without saying so. What another object generates does not move,
 * and what only observes takes nothing over.
 */
const mayHaveMoved = (key: string, ports: Ports): boolean =>
  ports.graph.get(key)?.generatedBy === undefined && !isObserving(key, ports);

/**
 * Who may take over from an object being deleted: the objects whose `moved-from` names it, otherwise those that declare its
 * external object. `unsaid`: objects of other namespaces that may be it, moved. `naming`: an object that declares its external
 * object while a different one is recorded there.
 */
function heirsOf(key: string, ref: ExternalRef, ports: Ports) {
  const { graph, owners, kinds, source } = ports;
  const object = source.read(key)?.object;
  const stays = (other: string): boolean => other !== key && graph.stays(other);
  const external = object && kinds.get(object.key.kind)?.external(ref);
  const namesakes = (object ? namesakesOf(object, ref, ports) : []).filter(stays);
  const unmade = namesakes.filter((other) => isUnmade(source.read(other)?.status));
  const took = namesakes.filter((other) => source.read(other)?.status.movedFrom === object?.uid);
  const declaring = [...new Set([...(external ? owners.claimants(external) : []), ...took])].filter(stays);
  const said = graph.heirs(key);
  const [naming] = external ? owners.namedBy(external).filter(stays) : [];
  return {
    claimants: [...declaring, ...unmade],
    heirs: said.length > 0 ? said : declaring,
    unsaid: mayHaveMoved(key, ports) ? unmade.filter((other) => mayHaveMoved(other, ports)) : [],
    naming,
  };
}

/**
 * The object of another namespace from which one without an external object takes over, or may: the one that its `moved-from`
 * names, otherwise one that is being deleted.
 */
export function formerOf(
  { object, status }: { readonly object: DeclaredObject; readonly status: Status },
  located: ExternalRef,
  ports: Ports,
): string | undefined {
  if (object.deleting || !isUnmade(status)) return undefined;
  const key = keyText(object.key);
  const { source, graph } = ports;
  const namesakes = namesakesOf(object, located, ports).filter(
    (other) => source.read(other)?.status.externalRef !== undefined,
  );
  const said = namesakes.find((other) => graph.heirs(other).includes(key));
  const isLeaving = (other: string): boolean => !graph.stays(other) && mayHaveMoved(other, ports);
  return said ?? (mayHaveMoved(key, ports) ? namesakes.find(isLeaving) : undefined);
}

const howToSay =
  'holdfast.dev/moved-from in the new one says that it moves, another externalName that it does not';

/** How the visit of such an object ends while it can't take over. */
export function undecided(former: string, key: string, { graph }: Pick<Ports, 'graph'>): Blocked {
  const message = graph.heirs(former).includes(key)
    ? `it takes over from ${toldOf(former, key)} once that is deleted and nobody else is to take it over`
    : `${toldOf(former, key)} is deleted, and this may be it, moved: ${howToSay}`;
  return blocked('MoveInProgress', message, { on: 'object' });
}

/** Whether the object only observes. It takes nothing over, so nothing waits for it. */
function isObserving(key: string, { source, kinds }: Ports): boolean {
  const object = source.read(key)?.object;
  return (
    object !== undefined &&
    isReadable(object) &&
    kinds.get(object.key.kind)?.open(object, {}).policy.management === 'ObserveOnly'
  );
}

/** An object's name as shown to readers of `key`. Names in other namespaces are not revealed. */
export const toldOf = (other: string, key: string): string =>
  parseKey(other)?.namespace === parseKey(key)?.namespace ? other : 'an object of another namespace';

const waiting = (message: string): Blocked => blocked('DeletionBlocked', message, { on: 'object' });

/** How the visit of a leaving object ends because another object declares its external object. `undefined`: none does. */
export function movingAway(key: string, { externalRef }: Status, ports: Ports): Blocked | Gone | undefined {
  if (!externalRef) return undefined;
  const { heirs, claimants, unsaid, naming } = heirsOf(key, externalRef, ports);
  const [heir, other] = heirs;
  if (heir === undefined && naming !== undefined)
    return waiting(
      `${toldOf(naming, key)} declares what it has, and another external object is recorded for that one`,
    );
  if (heir === undefined)
    return unsaid[0] === undefined
      ? undefined
      : waiting(`${toldOf(unsaid[0], key)} may be it, moved: ${howToSay}`);
  if (other !== undefined)
    return waiting(
      `${toldOf(heir, key)} and ${toldOf(other, key)} declare what it has: holdfast.dev/moved-from says which of them takes it over`,
    );
  if (!claimants.includes(heir))
    return waiting(`${toldOf(heir, key)} is to take it over, and declares another external object`);
  if (ports.source.read(heir)?.status.externalRef !== undefined)
    return { ...gone(`it has moved to ${heir}`, false), moved: true };
  if (isObserving(heir, ports) && ports.owners.isAllowed(heir))
    return gone(`kept: ${toldOf(heir, key)} observes it`, false);
  return blocked('MoveInProgress', `it moves to ${toldOf(heir, key)}`, { on: 'object' });
}

export function inheritance(
  key: string,
  object: DeclaredObject,
  owner: string,
  located: ExternalRef,
  ports: Ports,
): Inheritance | undefined {
  const before = ports.source.read(owner);
  if (!before?.object.deleting || !before.object.held || before.object.key.kind !== object.key.kind)
    return undefined;
  const { status } = before;
  if (!status.externalRef) return undefined;
  const { heirs } = heirsOf(owner, status.externalRef, ports);
  if (heirs.length !== 1 || heirs[0] !== key) return undefined;
  const { identity, own, pending, applied, handledRequests, history } = status;
  const former = [status.movedFrom ?? [], status.formerUIDs ?? []].flat().slice(0, formerMax);
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
