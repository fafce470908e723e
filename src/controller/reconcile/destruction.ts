// Every step that destroys something, whatever its verb, passes `refusal`. It requires a trusted state, data that no other
// object holds, and the deletion limits. The reconciler observes the external object again right before the call
// (`isStillPlanned`), so the check and the call act on the same state.
import type { Status } from '../../core/status/status.ts';
import { blocked, stalled, type Blocked, type Expiring, type Step } from '../../core/planning/plan.ts';
import { isReadable, type DeclaredObject } from '../../core/resource.ts';
import type { Approvals } from '../../core/source/approvals.ts';
import { shortHash } from '../../core/hash.ts';
import type { WallClock } from '../../core/time/clock.ts';
import { expiryID, deletionID, unreadID } from '../../core/planning/deletion-limits.ts';
import { countsFor, declarerOf } from './declarers.ts';
import { stillAwaited } from './holders.ts';
import { beyondLimits, unsettled } from './limits.ts';
import type { PreconditionPorts } from './preconditions.ts';
import { movingAway, toldOf } from './moves.ts';

export interface Destruction {
  readonly key: string;
  readonly object: DeclaredObject;
  /** keyText of the connection whose limits apply. */
  readonly connection: string;
  readonly step: Pick<Step<unknown>, 'verb' | 'destroys' | 'data' | 'intent' | 'changes' | 'expires'>;
}

/**
 * Whether the step counts towards the deletion limits. An update that registers a volume again loses nothing, and what
 * `destroy` removes was counted when it was let go.
 */
export const countsTowardsLimits = ({ verb }: Pick<Step<unknown>, 'verb'>): boolean =>
  verb === 'delete' || verb === 'replace';

/** ID of one deletion or replacement. An approval of it fits no other. */
export const goingID = ({ object, step }: Pick<Destruction, 'object' | 'step'>): string =>
  object.deleting
    ? deletionID(object)
    : `${object.uid} ${object.generation} is replaced: ${step.intent?.evidence?.['removed'] ?? ''}`;

/** The ID that a person approves to allow this step; `undefined`: the step needs no approval. */
export function approvalOf({ object, step }: Pick<Destruction, 'object' | 'step'>): string | undefined {
  if (object.deleting) return deletionID(object);
  if (step.expires) return expiryID(object, newestOf(step.expires));
  return step.destroys && countsTowardsLimits(step) ? goingID({ object, step }) : undefined;
}

const newestOf = (expires: readonly Expiring[]): string =>
  expires
    .map(({ at }) => at)
    .toSorted()
    .at(-1) ?? '';

interface Check<E> extends Omit<Destruction, 'step'> {
  readonly status: Status;
  readonly step: Step<E>;
}

/**
 * Why a step may not be made, for a reconcile and a dry run alike: the external object moves to another declaration or is
 * recorded for another object, the state is distrusted, another object has frozen what the step would freeze or disturb, or
 * others are to be made from what would be replaced.
 */
export function objection<E, Reader>(
  about: Check<E>,
  ports: PreconditionPorts<E, Reader> & WallClock,
): Blocked | undefined {
  const { key, object, status, step } = about;
  const opener = openerOf(key, step, ports);
  if (opener !== undefined) return blocked('QuiesceInProgress', `${opener} has frozen it`, { on: 'object' });
  const awaited = step.verb === 'replace' ? stillAwaited(key, step.changes, ports) : undefined;
  if (awaited) return awaited;
  if (step.destroys) {
    // Another object may have been declared and visited since this visit began.
    const away = object.deleting ? movingAway(key, status, ports) : undefined;
    if (away?.verdict === 'gone') return blocked('MoveInProgress', away.because, { on: 'object' });
    return away ?? refusal(about, ports);
  }
  const locked = lockedOut(about, ports);
  if (locked) return locked;
  // The status may be old or come from another machine. Nothing outside is changed on its word, and what is opened now could
  // not be closed.
  if ((object.held || step.opens) && step.effect !== undefined) return distrusting(about, ports);
  if (step.verb !== 'adopt' || step.data === undefined) return undefined;
  const owner = ports.owners.holder(step.data, key, step.identity);
  if (owner === undefined) return undefined;
  return stalled('ExternalNameConflict', `its external object belongs to ${toldOf(owner, key)}`, {
    on: 'object',
  });
}

/** Who has frozen what the step would freeze or disturb; the object is woken once that is thawed. */
export function openerOf<E, Reader>(
  key: string,
  { opens = [], disturbs = [] }: Pick<Step<E>, 'opens' | 'disturbs'>,
  ports: Pick<PreconditionPorts<E, Reader>, 'openEffects'> & WallClock,
): string | undefined {
  const { openEffects } = ports;
  return openEffects.other(key, opens) ?? openEffects.other(key, disturbs, ports.wallMs());
}

/** Whoever else declares what the step changes for its own object alone could use it no more, and nobody could help. */
function lockedOut<E, Reader>(
  about: Pick<Check<E>, 'key' | 'object' | 'step'>,
  ports: PreconditionPorts<E, Reader>,
): Blocked | undefined {
  const { key, step } = about;
  for (const data of step.locksOut ?? []) {
    const other = ports.owners
      .declarers(data, key)
      .find((each) => countsFor(each, data, ports) && !isTold(each, about, ports));
    if (other === undefined) continue;
    const message = `not done, because it would lock out ${toldOf(other, key)}, which has ${data}, too: ${step.summary}`;
    return stalled('AccountShared', message, { on: 'object' });
  }
  return undefined;
}

/** Whether it reads what the object of the step publishes, so that it gets the new password. */
function isTold<E, Reader>(
  other: string,
  { object, step }: Pick<Check<E>, 'object' | 'step'>,
  { source, kinds }: PreconditionPorts<E, Reader>,
): boolean {
  const entry = source.read(other);
  const kind = entry && kinds.get(entry.object.key.kind);
  if (!kind || step.trial === undefined || !isReadable(entry.object)) return false;
  const opened = kind.open(entry.object, {});
  const unneeded = opened.unneeded(entry.status);
  return opened.references.some(
    ({ to, target, field }) =>
      to === 'secret' &&
      target.namespace === object.key.namespace &&
      target.name === step.trial &&
      !unneeded.includes(field),
  );
}

export function distrusting(
  { step }: { readonly step: Pick<Step<unknown>, 'changes'> },
  { approvals }: { readonly approvals: Pick<Approvals, 'distrusted'> },
): Blocked | undefined {
  const doubt = approvals.distrusted;
  return (
    doubt && blocked('StateRestored', doubt.message, { on: 'approval', digest: doubt.digest }, step.changes)
  );
}

/**
 * The object's last manifest could not be read, so it may have asked to keep the external object. A person must confirm the
 * deletion.
 */
function unconfirmed(
  { key, object, step }: Destruction,
  approvals: Pick<Approvals, 'approved'>,
): Blocked | undefined {
  const id = unreadID(deletionID(object));
  if (approvals.approved(key) === id) return undefined;
  const digest = shortHash(`${key} ${id}`);
  const message =
    'its last manifest could not be used, so whether that asked to keep it is not known: ' +
    `put a valid one back, or let it go: holdfast approve ${digest}`;
  return blocked('DeletionUnconfirmed', message, { on: 'approval', digest, id }, step.changes);
}

/** Whose the data is as well: another object that has it, or whose declaration names it and that waits for something yet. */
function others<E, Reader>(
  data: string,
  key: string,
  ports: Pick<PreconditionPorts<E, Reader>, 'owners' | 'graph' | 'kinds' | 'source'>,
): string | undefined {
  const holder = ports.owners.holder(data, key);
  if (holder !== undefined) return `${data} is recorded for ${toldOf(holder, key)}, too`;
  const declarer = declarerOf(data, key, ports);
  return declarer === undefined ? undefined : `${data} is declared by ${toldOf(declarer, key)}`;
}

/** Why the step may not destroy anything now; `undefined`: it may. */
export function refusal<E, Reader>(
  destruction: Destruction,
  ports: PreconditionPorts<E, Reader>,
): Blocked | undefined {
  const { key, object, connection, step } = destruction;
  const doubt = distrusting(destruction, ports);
  if (doubt) return doubt;
  const unread = object.deleting && object.refused ? unconfirmed(destruction, ports.approvals) : undefined;
  if (unread) return unread;
  const message = step.data === undefined ? undefined : others(step.data, key, ports);
  if (message !== undefined) {
    return blocked(
      object.deleting ? 'DeletionBlocked' : 'ReplacementBlocked',
      message,
      { on: 'object' },
      step.changes,
    );
  }
  if (step.expires) return expiring(destruction, step.expires, ports);
  if (!countsTowardsLimits(step)) {
    // Counted when it was let go. Still, an object declared since then may be about to claim the data.
    return step.destroys !== 'data' || ports.deletions.isSettled(key, connection)
      ? undefined
      : unsettled(step.changes);
  }
  const id = goingID(destruction);
  if (!object.deleting) ports.deletions.announce(key, connection, id);
  return beyondLimits(key, id, connection, ports, step.changes);
}

/** Judges the children that expire as one set: all of them wait, or none. */
function expiring<E, Reader>(
  { key, object, connection, step }: Destruction,
  expires: readonly Expiring[],
  ports: Pick<PreconditionPorts<E, Reader>, 'deletions' | 'connections'>,
): Blocked | undefined {
  const going = expires.map((one) => ({
    key: one.key,
    id: expiryID(object, one.at),
    how: 'expires' as const,
  }));
  ports.deletions.announceAll(key, connection, going);
  return beyondLimits(key, expiryID(object, newestOf(expires)), connection, ports, step.changes);
}
