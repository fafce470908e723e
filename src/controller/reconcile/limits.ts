// Turns a verdict of the deletion limits into the plan of an object that must wait: for other objects, for time to pass, or
// for an approval.
import { deletionID } from '../../core/planning/deletion-limits.ts';
import { blocked, type Blocked } from '../../core/planning/plan.ts';
import type { DeclaredObject } from '../../core/resource.ts';
import { unusable } from '../../core/text/problem.ts';
import type { Connections } from '../connections/connections.ts';
import type { Deletions, Verdict } from './deletions.ts';

export const unsettled = (changes: Blocked['changes']): Blocked =>
  blocked('DeletionPending', 'what else may go is looked at first', { on: 'object' }, changes);

/** Why an object that is being deleted, or was announced, may not go now; `undefined`: it may. */
export function beyondLimits<E, Reader>(
  key: string,
  id: string,
  connection: string,
  ports: {
    readonly deletions: Pick<Deletions, 'verdict'>;
    readonly connections: Pick<Connections<E, Reader>, 'limits'>;
  },
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
      return unsettled(changes);
    case 'not-synced': {
      const why = unusable(verdict.problems) ?? verdict.unknown ?? 'what is declared still changes';
      const message = `${why}: what else may go is not known`;
      return blocked('DeletionPending', message, { on: 'time', atMs: verdict.atMs }, changes);
    }
    case 'beyond':
      return blocked(
        'DeletionLimitExceeded',
        verdict.message,
        { on: 'approval', digest: verdict.digest, id },
        changes,
      );
  }
}

/**
 * What is still used goes after those that use it, by the approval that is given for all of them: else people would be asked for it
 * once more.
 */
export function withTheOthers<E, Reader>(
  plan: Blocked,
  { key, object }: { readonly key: string; readonly object: DeclaredObject },
  connection: string | undefined,
  ports: Parameters<typeof beyondLimits<E, Reader>>[3],
): Blocked {
  if (!object.held || connection === undefined) return plan;
  const wake = beyondLimits(key, deletionID(object), connection, ports)?.wake;
  if (wake?.on === 'time') return { ...plan, wake };
  if (wake?.on !== 'approval' || wake.id === undefined) return plan;
  return { ...plan, awaits: { digest: wake.digest, id: wake.id } };
}
