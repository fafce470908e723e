// CSISnapshotSchedule: what its plan is made from. PURE.
import type { Situation } from '../../core/planning/situation.ts';
import type { ScheduledSnapshot } from './children.ts';
import type { Made } from './drill-children.ts';
import type { Own } from './own.ts';
import type { Spec } from './schema.ts';

export interface Live {
  readonly snapshots: readonly ScheduledSnapshot[];
  /** What its drills have made and not taken away. */
  readonly made: readonly Made[];
  readonly generation: number;
}

export type ScheduleSituation = Situation<Spec, Live, Own>;

export const liveOf = ({ observed }: Pick<ScheduleSituation, 'observed'>): Live =>
  observed.state === 'present' ? observed.live : { snapshots: [], made: [], generation: 0 };

/** Those that are not on their way out. */
export const standing = (s: Pick<ScheduleSituation, 'observed'>): readonly ScheduledSnapshot[] =>
  liveOf(s).snapshots.filter(({ leaving }) => !leaving);
