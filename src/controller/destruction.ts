// The one door through which everything passes that destroys something, whatever its verb: trust in the state, whose data it
// is, the deletion limits. What it needs of the outside was looked at right before (reconciler.ts).
import { blocked, type Blocked, type Step } from '../core/plan.ts';
import type { Stored } from '../core/resource.ts';
import type { Source } from '../core/source.ts';
import { leavingID } from '../core/deletion.ts';
import type { Verdict } from './deletions.ts';
import type { GroundPorts } from './ground.ts';

/** What is about to be destroyed, and for whom. */
export interface Destruction {
  readonly key: string;
  readonly object: Stored;
  /** keyText of the connection that the object counts for. */
  readonly connection: string;
  readonly step: Pick<Step<unknown>, 'verb' | 'destroys' | 'data' | 'intent' | 'changes'>;
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

/** What may not be done whoever asks for it: to destroy, or to take over, what is recorded for another. */
export function objection<E, Reader>(
  about: Omit<Destruction, 'step'> & { readonly step: Step<E> },
  ports: Pick<GroundPorts<E, Reader>, 'source' | 'owners' | 'deletions' | 'connections'>,
): Blocked | undefined {
  const { key, object, step } = about;
  if (step.destroys) return refusal(about, ports);
  // What is remembered may be of another day or of another machine: nothing outside is done on its word.
  const isActing = step.effect !== undefined || step.publish !== undefined;
  if (object.held && isActing) return distrusting(about, ports);
  if (step.verb !== 'adopt' || step.data === undefined) return undefined;
  const owner = ports.owners.holder(step.data, key, step.identity);
  if (owner === undefined) return undefined;
  return blocked('ExternalNameTaken', `its external object belongs to ${owner}`, { on: 'object' });
}

function distrusting(
  { step }: Pick<Destruction, 'step'>,
  { source }: { readonly source: Pick<Source, 'distrusted'> },
): Blocked | undefined {
  const doubt = source.distrusted();
  return (
    doubt && blocked('StateRestored', doubt.message, { on: 'approval', digest: doubt.digest }, step.changes)
  );
}

/** Why it is not destroyed now; `undefined`: it may be. */
export function refusal<E, Reader>(
  destruction: Destruction,
  ports: Pick<GroundPorts<E, Reader>, 'source' | 'owners' | 'deletions' | 'connections'>,
): Blocked | undefined {
  const { key, object, connection, step } = destruction;
  const doubt = distrusting(destruction, ports);
  if (doubt) return doubt;
  const holder = step.data === undefined ? undefined : ports.owners.holder(step.data, key);
  if (holder !== undefined) {
    const message = `${step.data} is recorded for ${holder}, too`;
    return blocked(
      object.deleting ? 'DeletionBlocked' : 'ReplacementBlocked',
      message,
      { on: 'object' },
      step.changes,
    );
  }
  if (!counts(step)) return undefined;
  const id = goingID(destruction);
  if (!object.deleting) ports.deletions.announce(key, connection, id);
  return beyondLimits(key, id, connection, ports, step.changes);
}

/** Why this one, which leaves or was announced, may not go now. */
export function beyondLimits<E, Reader>(
  key: string,
  id: string,
  connection: string,
  ports: Pick<GroundPorts<E, Reader>, 'deletions' | 'connections'>,
  changes: Blocked['changes'] = [],
): Blocked | undefined {
  const limits = ports.connections.limits(connection);
  const verdict: Verdict = limits
    ? ports.deletions.verdict(key, id, connection, limits)
    : { is: 'unsettled' };
  switch (verdict.is) {
    case 'within':
      return undefined;
    case 'unsettled':
      return blocked('DeletionPending', 'what else may go is looked at first', { on: 'object' }, changes);
    case 'unsteady': {
      const message =
        'what is declared still changes, or not all of it can be used: what else may go is not known';
      return blocked('DeletionPending', message, { on: 'time', atMs: verdict.atMs }, changes);
    }
    case 'beyond':
      return blocked(
        'DeletionLimit',
        verdict.message,
        { on: 'approval', digest: verdict.digest, id },
        changes,
      );
  }
}
