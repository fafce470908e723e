// The one door through which everything passes that destroys something, whatever its verb: trust in the state, whose data it
// is, the deletion limits. What it needs of the outside was looked at right before (reconciler.ts).
import type { Status } from '../../core/status/status.ts';
import { blocked, stalled, type Blocked, type Expiring, type Step } from '../../core/planning/plan.ts';
import type { DeclaredObject } from '../../core/resource.ts';
import type { Approvals } from '../../core/source/approvals.ts';
import { shortHash } from '../../core/hash.ts';
import { expiryID, leavingID, unreadID } from '../../core/planning/deletion-limits.ts';
import { beyondLimits, unsettled } from './limits.ts';
import type { PreconditionPorts } from './preconditions.ts';
import { movingAway, toldOf } from './moves.ts';

/** What is about to be destroyed, and for whom. */
export interface Destruction {
  readonly key: string;
  readonly object: DeclaredObject;
  /** keyText of the connection that the object counts for. */
  readonly connection: string;
  readonly step: Pick<Step<unknown>, 'verb' | 'destroys' | 'data' | 'intent' | 'changes' | 'expires'>;
}

/**
 * Whether going counts against the deletion limits. An update that registers anew loses nothing, and what was let go of
 * was counted then.
 */
export const counts = ({ verb }: Pick<Step<unknown>, 'verb'>): boolean =>
  verb === 'delete' || verb === 'replace';

/** Names what is about to go, and no other going. */
export const goingID = ({ object, step }: Pick<Destruction, 'object' | 'step'>): string =>
  object.deleting
    ? leavingID(object)
    : `${object.uid} ${object.generation} is replaced: ${step.intent?.evidence?.['removed'] ?? ''}`;

/** What a person approves who lets the object go on with this step; `undefined`: nothing goes. */
export function approvalOf({ object, step }: Pick<Destruction, 'object' | 'step'>): string | undefined {
  if (object.deleting) return leavingID(object);
  if (step.expires) return expiryID(object, newestOf(step.expires));
  return step.destroys && counts(step) ? goingID({ object, step }) : undefined;
}

const newestOf = (expires: readonly Expiring[]): string =>
  expires
    .map(({ at }) => at)
    .toSorted()
    .at(-1) ?? '';

/** A step, and what is remembered of the object that it is for. */
interface Meant<E> extends Omit<Destruction, 'step'> {
  readonly status: Status;
  readonly step: Step<E>;
}

/**
 * What may not be done whoever asks for it: to destroy what another declaration names, or to destroy or take over what
 * is recorded for another.
 */
export function objection<E, Reader>(
  about: Meant<E>,
  ports: PreconditionPorts<E, Reader>,
): Blocked | undefined {
  const { key, object, status, step } = about;
  const opener = step.opens && ports.opens.other(key, step.opens);
  if (opener !== undefined) return blocked('QuiesceInProgress', `${opener} has frozen it`, { on: 'object' });
  if (step.destroys) {
    // Another may have been declared, and looked at, since the visit began.
    const away = object.deleting ? movingAway(key, status, ports) : undefined;
    if (away?.verdict === 'gone') return blocked('MoveInProgress', away.because, { on: 'object' });
    return away ?? refusal(about, ports);
  }
  // What is remembered may be of another day or of another machine: nothing outside is done on its word, and so what is
  // opened now would stay open.
  if ((object.held || step.opens) && step.effect !== undefined) return distrusting(about, ports);
  if (step.verb !== 'adopt' || step.data === undefined) return undefined;
  const owner = ports.owners.holder(step.data, key, step.identity);
  if (owner === undefined) return undefined;
  return stalled('ExternalNameConflict', `its external object belongs to ${toldOf(owner, key)}`, {
    on: 'object',
  });
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

/** What its last manifest asked for, and whether that was to keep it, was never understood: a person says that it may go. */
function unconfirmed(
  { key, object, step }: Destruction,
  approvals: Pick<Approvals, 'approved'>,
): Blocked | undefined {
  const id = unreadID(leavingID(object));
  if (approvals.approved(key) === id) return undefined;
  const digest = shortHash(`${key} ${id}`);
  const message =
    'its last manifest could not be used, so whether that asked to keep it is not known: ' +
    `put a valid one back, or let it go: holdfast approve ${digest}`;
  return blocked('DeletionUnconfirmed', message, { on: 'approval', digest, id }, step.changes);
}

/** Why it is not destroyed now; `undefined`: it may be. */
export function refusal<E, Reader>(
  destruction: Destruction,
  ports: Pick<PreconditionPorts<E, Reader>, 'approvals' | 'owners' | 'deletions' | 'connections'>,
): Blocked | undefined {
  const { key, object, connection, step } = destruction;
  const doubt = distrusting(destruction, ports);
  if (doubt) return doubt;
  const unread = object.deleting && object.refused ? unconfirmed(destruction, ports.approvals) : undefined;
  if (unread) return unread;
  const holder = step.data === undefined ? undefined : ports.owners.holder(step.data, key);
  if (holder !== undefined) {
    const message = `${step.data} is recorded for ${toldOf(holder, key)}, too`;
    return blocked(
      object.deleting ? 'DeletionBlocked' : 'ReplacementBlocked',
      message,
      { on: 'object' },
      step.changes,
    );
  }
  if (step.expires) return expiring(destruction, step.expires, ports);
  if (!counts(step)) {
    // It was counted when it was let go of. Who was declared since may be about to say that it has that.
    return step.destroys !== 'data' || ports.deletions.isSettled(key, connection)
      ? undefined
      : unsettled(step.changes);
  }
  const id = goingID(destruction);
  if (!object.deleting) ports.deletions.announce(key, connection, id);
  return beyondLimits(key, id, connection, ports, step.changes);
}

/** Children that an object lets go by rule: all of them wait, or none. */
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
