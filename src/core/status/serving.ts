// Whether an object that is being deleted, and that others are to be made from first, is ready for them. PURE.
import type { Report } from '../kind/kind.ts';
import { conditionOf, type Stated } from './condition.ts';
import type { Reason } from './reasons.ts';
import type { Status } from './status.ts';

const leaving: ReadonlySet<string> = new Set<Reason>([
  'DeletionBlocked',
  'DeletionLimitExceeded',
  'DeletionPending',
  'MoveInProgress',
  'RemovalInProgress',
]);

/** Whether others can't be made from it, by its record and what the visit has observed. */
export const isAway = ({ isPresent, report, status }: Seen): boolean =>
  isPresent?.(report ? { ...status, observed: report.observed } : status) === false;

interface Seen {
  readonly isPresent?: (status: Status) => boolean | undefined;
  readonly report: Pick<Report, 'observed'> | undefined;
  readonly status: Status;
}

/**
 * Ready again, if it was unready because of its deletion: if it stayed so, the others would wait for it, and it for them.
 * @returns `undefined`: Ready keeps its value
 */
export function served({
  status: { conditions, externalRef },
  absent,
}: {
  readonly status: Pick<Status, 'conditions' | 'externalRef'>;
  readonly absent: boolean;
}): Stated | undefined {
  const before = conditionOf(conditions, 'Ready');
  const isLeaving = before?.status === 'False' && leaving.has(before.reason);
  if (!isLeaving || externalRef === undefined || absent) return undefined;
  return { type: 'Ready', status: 'True', reason: 'InSync', message: '' };
}
