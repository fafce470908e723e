// Moves: an external object that another present declaration names is not destroyed with its object. The other object takes
// over its recorded identity and status, so that renaming a manifest never costs data.
import { formerMax, noStatus, type Status } from '../../core/status/status.ts';
import { blocked, gone, type Blocked, type Gone } from '../../core/planning/plan.ts';
import type { Policy } from '../../core/planning/policy.ts';
import {
  isReadable,
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

/**
 * Who may take over from an object being deleted: the objects whose `moved-from` names it, otherwise those that declare its
 * external object. `naming`: an object that declares it while a different external object is recorded there.
 */
function heirsOf(key: string, ref: ExternalRef, { graph, owners, kinds, source }: Ports) {
  const external = kinds.get(source.read(key)?.object.key.kind ?? '')?.external(ref);
  const claimants = (external ? owners.claimants(external) : []).filter(
    (other) => other !== key && graph.stays(other),
  );
  const heirs = graph.heirs(key);
  const [naming] = external ? owners.namedBy(external).filter((other) => graph.stays(other)) : [];
  return { claimants, heirs: heirs.length > 0 ? heirs : claimants, naming };
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
  const { heirs, claimants, naming } = heirsOf(key, externalRef, ports);
  const [heir, other] = heirs;
  if (heir === undefined)
    return naming === undefined
      ? undefined
      : waiting(
          `${toldOf(naming, key)} declares what it has, and another external object is recorded for that one`,
        );
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
