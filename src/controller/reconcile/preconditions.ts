// The preconditions of an observation: references, connection, ownership of the external object, deletion limits. Either
// all are met, or the visit ends here and the status says why. Nothing is sent and nothing is awaited: only the indexes and
// the caches of the source are read.
import type { Status } from '../../core/status/status.ts';
import type { SealedKind } from '../../core/kind/sealed-kind.ts';
import type { ObservationInput, Opened as OpenedObject } from '../../core/kind/opened.ts';
import { leftBehind } from '../../core/planning/absent.ts';
import { deletionID } from '../../core/planning/deletion-limits.ts';
import type { Ending } from '../../core/status/outcome.ts';
import { blocked, gone, stalled, type Blocked, type Gone } from '../../core/planning/plan.ts';
import { releases } from '../../core/planning/policy.ts';
import { keyText, type Resolution, type DeclaredObject } from '../../core/resource.ts';
import type { Approvals } from '../../core/source/approvals.ts';
import type { Published } from '../../core/source/output.ts';
import type { Opened } from '../connections/connections.ts';
import { stillUsed } from './holders.ts';
import { beyondLimits, withTheOthers } from './limits.ts';
import type { OpenEffects } from '../index/open-effects.ts';
import { claimed, declare, type ClaimPorts } from './claims.ts';
import { contested, isBegun } from './contests.ts';
import { movingAway, type Inheritance } from './moves.ts';
import { policiesOf } from './requests.ts';
import { outputsOf, passedOver, resolveOne, useConnection, type Secrets } from './resolve.ts';
import { connectionPathOf, type ConnectionPath } from '../index/connection-path.ts';

export interface PreconditionPorts<E, Reader> extends ClaimPorts<E, Reader> {
  readonly approvals: Approvals;
  readonly openEffects: OpenEffects;
  /** Random lower-case letters and digits, long enough that no two are equal. */
  readonly nonce: () => string;
}

export interface Preconditions<E, Reader> {
  readonly opened: OpenedObject<E, Reader>;
  readonly used: Opened<E, Reader>;
  /** Other connections that the spec refers to and that may be used now, by field. */
  readonly others: ReadonlyMap<string, Opened<E, Reader>>;
  readonly resolved: ReadonlyMap<string, Resolution>;
  /** keyText of the connection whose limits and outages apply to the object. */
  readonly connection: string;
  readonly inherits?: Inheritance;
  /**
   * Set for an object that is being deleted while others still use it. A connection is observed as usual, since they can be
   * deleted only while it works. An object that is half removed is restored, since they can't be made from it before. A visit
   * that finds nothing to do ends with this.
   */
  readonly inUse?: Extract<Ending, { is: 'blocked' }>;
  /** Why the object is not ready, whatever is found: another one has the same data. */
  readonly contest?: Pick<Blocked, 'reason' | 'message'>;
}

interface ReadSubject {
  readonly key: string;
  readonly object: DeclaredObject;
  readonly status: Status;
  readonly secrets: Secrets;
}

/**
 * An object that is released without opening its spec: a person asked to orphan it, or it was never held and has no valid
 * spec.
 */
export function released({ deleting, held, requests, spec }: DeclaredObject): Gone | undefined {
  if (!deleting) return undefined;
  const orphaned = requests['force-orphan'];
  if (orphaned !== undefined) return gone(`orphaned: ${orphaned}`);
  return held || spec !== undefined ? undefined : gone('nothing of it was outside');
}

/** @returns the preconditions, or how the visit ends without them @throws SpecError */
export function preconditionsOf<E, Reader>(
  subject: ReadSubject,
  ports: PreconditionPorts<E, Reader>,
): Preconditions<E, Reader> | Ending | Gone {
  const { key, object } = subject;
  const kind = ports.kinds.get(object.key.kind);
  if (!kind) throw new Error(`no kind ${object.key.kind}`);
  const orphaned = released(object);
  if (orphaned) return orphaned;
  const first = kind.open(object, {});
  const users = object.deleting ? stillUsed(key, ports) : undefined;
  const held = users && withTheOthers(users, subject, ports.graph.get(key)?.connection, ports);
  const inUse = held && ({ is: 'blocked', plan: held, usable: true } as const);
  const { resolved, others, unresolved } = resolveAll(subject, first, kind.connectionField, ports);
  if (kind.connectionField === undefined) {
    if (object.deleting && !inUse) return gone('nothing uses it any more');
    if (unresolved) return unresolved;
    const connection = first.connect(resolved);
    if (!connection) throw new Error(`${object.key.kind} has no connection`);
    const used = ports.connections.open(key, connection, subject.status.limits);
    return { opened: first, used, others, resolved, connection: key, ...(inUse && { inUse }) };
  }
  // Never held: nothing outside is ours, so no service has to be reachable, and nobody can be made from it any more. What is
  // only observed is never held either, but it may be there, so it stays for those that use it.
  const isObserved = first.policy.management === 'ObserveOnly';
  if (object.deleting && !object.held && !(inUse && isObserved)) return gone('nothing of it was outside');
  // What is not there, or may not be, is looked at: nobody can be made from it before it is.
  const isThere =
    (kind.isPresent(subject.status) ?? !kind.tellsPresence) && !kind.isHalfRemoved(subject.status);
  if (inUse && isThere) return inUse;
  const path = connectionPathOf(object, ports.kinds, (at) => ports.source.read(at));
  if (!path) throw new Error(`${kind.connectionField} is not declared`);
  if ('missing' in path)
    return notUsable(path.field, 'missing', `${keyText(path.missing)} does not exist`, object.deleting);
  const connection = keyText(path.connection);
  const keeps = releases(first.policy) && isFree(kind, subject);
  const away = object.deleting ? movingAway(key, subject.status, ports, keeps) : undefined;
  if (away) return away.verdict === 'gone' ? away : { is: 'blocked', plan: away };
  if (object.deleting && keeps && !inUse)
    return (
      (kind.leavesNothing ? undefined : budget(subject, connection, ports)) ??
      gone(leftBehind(subject.status) ?? 'kept as it is')
    );
  declare(subject, first, path, resolved, ports);
  const reached = reach(path, subject, first, ports);
  if (!('used' in reached)) return reached;
  resolved.set(path.field, { state: 'ready', outputs: reached.outputs });
  const { used } = reached;
  const opened = kind.open(object, policiesOf(connection, used.connection, ports.source));
  const found = claimed(subject, opened, used, { resolved, connection }, ports);
  if (found && !('from' in found)) return found;
  const contest = found ? undefined : contested(subject, opened, ports);
  if (contest && !isBegun(subject)) return { is: 'blocked', plan: contest };
  if (unresolved) return unresolved; // only now: the claim is recorded even if a reference is unresolved
  const ended = object.deleting && !inUse ? budget(subject, connection, ports) : undefined;
  const said = { ...(inUse && { inUse }), ...(contest && { contest }) };
  const met = { opened, used, others, resolved, connection, ...said };
  return ended ?? { ...met, ...(found && { inherits: found }) };
}

/** Throwaway children must be deleted first, and a removal that has begun be undone, even if the deletion policy keeps all. */
const isFree = <E, Reader>(kind: SealedKind<E, Reader>, { object, status }: ReadSubject): boolean =>
  kind.throwaways(status, object.key).length === 0 && !kind.isHalfRemoved(status);

/** The connection at the end of the path, with its outputs and those of the objects in between. */
function reach<E, Reader>(
  path: ConnectionPath,
  { object, status }: ReadSubject,
  { externalName, reaches }: Pick<OpenedObject<E, Reader>, 'externalName' | 'reaches'>,
  ports: PreconditionPorts<E, Reader>,
): { readonly used: Opened<E, Reader>; readonly outputs: Readonly<Record<string, string>> } | Ending {
  const named = useConnection(path.connection, { key: object.key, externalName }, ports);
  const others = object.deleting ? [] : reaches; // what it was made of is its own by now
  const uses = others.map((one) =>
    useConnection(path.connection, { key: object.key, externalName: one }, ports),
  );
  const use = uses.find(({ state }) => state === 'denied') ?? named;
  if (use.state === 'unusable') {
    const isPlaced =
      object.deleting || // it no longer declares anything
      status.externalRef !== undefined ||
      ports.connections.defined(keyText(path.connection)) !== undefined;
    const parked = { is: 'parked', message: `${path.field}: ${use.message}`, early: use.early } as const;
    return isPlaced ? parked : { ...parked, unplaced: true };
  }
  if (use.state !== 'usable') return notUsable(path.field, use.state, use.message, object.deleting);
  let { outputs } = use;
  const isMade = status.externalRef !== undefined;
  for (const target of path.between.toReversed()) {
    const found = outputsOf(target, ports, object.deleting ? 'known' : isMade ? 'staying' : 'ready');
    if (found.state !== 'ready') return notUsable(path.field, found.state, found.message, object.deleting);
    outputs = { ...outputs, ...found.outputs };
  }
  return { used: use.opened, outputs };
}

/** Resolves all references except the one that leads to the connection. */
function resolveAll<E, Reader>(
  { object, status, secrets }: ReadSubject,
  opened: OpenedObject<E, Reader>,
  connectionField: string | undefined,
  ports: PreconditionPorts<E, Reader>,
) {
  const resolved = new Map<string, Resolution>();
  const others = new Map<string, Opened<E, Reader>>();
  const unneeded = opened.unneeded(status);
  const own = opened.references.find(({ field }) => field === connectionField)?.target;
  let unresolved: Ending | undefined;
  for (const reference of opened.references) {
    const { field } = reference;
    if (field === connectionField) continue;
    const { resolution, other } =
      reference.to === 'secret'
        ? { resolution: secrets.get(field) ?? notRead }
        : (passedOver(reference, own, ports) ??
          resolveOne(reference, object.key, opened.externalName, ports));
    resolved.set(field, resolution);
    if (other) others.set(field, other);
    // A deletion does not need a referent that is gone. It does wait for a Secret that was not read yet, because the call
    // may need it.
    const isUnread = reference.to === 'secret' && resolution.state === 'waiting';
    const optional = object.deleting ? !isUnread : reference.to === 'object' && reference.optional;
    const needed = connectionField === undefined || !(optional || unneeded.includes(field));
    if (needed && 'message' in resolution)
      unresolved ??= notUsable(field, resolution.state, resolution.message, object.deleting);
  }
  return { resolved, others, unresolved };
}

const notRead: Resolution = { state: 'waiting', message: 'the Secret has not been read yet' };

function budget<E, Reader>(
  { key, object }: ReadSubject,
  connection: string,
  ports: PreconditionPorts<E, Reader>,
): Ending | undefined {
  const found = ports.connections.get(connection);
  if (!ports.connections.limits(connection) && 'early' in found) return { is: 'parked', ...found };
  const plan = beyondLimits(key, deletionID(object), connection, ports);
  return plan && { is: 'blocked', plan };
}

function notUsable(
  field: string,
  state: 'waiting' | 'missing' | 'denied',
  message: string,
  deleting: boolean,
): Ending {
  const reason = state === 'denied' ? 'AccessDenied' : deleting ? 'DeletionBlocked' : 'DependencyNotReady';
  const why = state === 'denied' ? stalled : blocked;
  return { is: 'blocked', plan: why(reason, `${field}: ${message}`, { on: 'object' }) };
}

/** @param published state of the published output; `undefined`: unknown */
export function observationInputOf<E, Reader>(
  object: DeclaredObject,
  status: Status,
  { used, others, resolved, inUse }: Preconditions<E, Reader>,
  published: Published | undefined,
  nonce: string,
): ObservationInput<Reader> {
  return {
    object,
    status,
    resolved,
    read: used.service.reader,
    connection: used.connection,
    nonce,
    via: (field) => others.get(field)?.service.reader,
    ...(published && { published }),
    ...(inUse && { inUse: true }),
  };
}
