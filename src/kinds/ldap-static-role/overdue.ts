// LDAPStaticRole: a rotation that the service should have made by itself. It tells nobody that its own rotations fail; that one
// is missing can be seen, by the date, and the next look asks by which clock. PURE.
import type { Effect } from '../../api/routes.ts';
import { conditionOf } from '../../core/status/condition.ts';
import type { Step } from '../../core/planning/plan.ts';
import { target, type Live, type RoleSituation } from './body.ts';
import type { Own } from './own.ts';

type S = RoleSituation;

/** The service tries again for a while, and may have been down. */
const graceMs = 600_000;

/** What the last rotation is noted as. */
const instantOf = ({ rotated }: Pick<Live, 'rotated'>): string => rotated?.instant ?? '';

/**
 * When the period began after which it rotates. Of a role that was never rotated, that is when it was made, which the service
 * does not tell: when Holdfast said first that it was never rotated. Infinity: it did not yet.
 */
function beganMs({ status }: S, { rotated }: Pick<Live, 'rotated'>): number {
  if (rotated) return rotated.wallMs;
  const said = conditionOf(status.conditions, 'RotationVerified');
  // oxlint-disable-next-line no-restricted-globals -- reads the given instant
  return said ? Date.parse(said.lastTransitionTime) : Infinity;
}

/** Whether the service did not rotate when it was due, long ago: by the date, and for as long as this process looks. */
function isOverdue(s: S, live: Pick<Live, 'role' | 'rotated'>): boolean {
  const sinceMs = s.since(`rotated ${instantOf(live)}`);
  const overMs = s.wallMs - beganMs(s, live) - live.role.rotation_period * 1_000;
  return overMs >= graceMs && s.nowMs - sinceMs >= graceMs;
}

/** Notes that it is overdue. */
export function overdueNote(s: S, live: Live, own: Own): Omit<Step<Effect>, 'verb' | 'changes'> | undefined {
  if (isNoted(live, own) || !isOverdue(s, live)) return undefined;
  const summary = `note that the service did not rotate ${target(s).role} when it was due`;
  return { summary, own: { ...own, overdue: instantOf(live) } };
}

/** @param own remembered by the object */
export const isNoted = (
  live: Pick<Live, 'rotated'>,
  own: { readonly overdue?: string | undefined },
): boolean => own.overdue === instantOf(live);
