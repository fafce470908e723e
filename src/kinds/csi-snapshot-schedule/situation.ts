// CSISnapshotSchedule: the input of its plan. PURE.
import type { Situation } from '../../core/planning/situation.ts';
import type { ScheduledSnapshot } from './children.ts';
import type { Made } from './drill-children.ts';
import type { Own } from './own.ts';
import type { Spec } from './schema.ts';

export interface Live {
  readonly snapshots: readonly ScheduledSnapshot[];
  /** The children of its drills that still exist. */
  readonly made: readonly Made[];
  readonly generation: number;
}

export type ScheduleSituation = Situation<Spec, Live, Own>;

export const liveOf = ({ observed }: Pick<ScheduleSituation, 'observed'>): Live =>
  observed.state === 'present' ? observed.live : { snapshots: [], made: [], generation: 0 };

/** The snapshots that are not being deleted. */
export const standing = (s: Pick<ScheduleSituation, 'observed'>): readonly ScheduledSnapshot[] =>
  liveOf(s).snapshots.filter(({ deleting }) => !deleting);

/**
 * Of these, those of past runs, oldest first. One of a run that is yet to come was taken while the machine's date was ahead,
 * and would pass for the latest.
 */
export const ofPastRuns = (s: Pick<ScheduleSituation, 'observed' | 'wallMs'>): readonly ScheduledSnapshot[] =>
  standing(s).filter(({ atMs }) => atMs <= s.wallMs);
