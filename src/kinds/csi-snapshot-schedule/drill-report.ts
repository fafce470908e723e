// CSISnapshotSchedule: how its status reports drills. PURE.
import type { Report } from '../../core/kind/kind.ts';
import type { Use } from '../../core/kind/permission.ts';
import { usesOf } from '../../core/kind/permission.ts';
import type { Stated } from '../../core/status/condition.ts';
import type { DrillSpec } from './drill-schema.ts';
import type { Own } from './own.ts';

/** The last drill, and the last one that succeeded. */
export function drillsShown({ drill, drilled, verified }: Partial<Own> = {}): Report['observed'] {
  return {
    ...(verified && { lastVerifiedRestore: { ...verified } }),
    ...(drilled && { lastDrill: { ...drilled } }),
    ...(drill && { drill: { snapshot: drill.snapshot, volume: drill.name, startedAt: drill.startedAt } }),
  };
}

/** An abandoned drill proves nothing, so the last one that failed or succeeded counts. */
export function restoreVerified(
  spec: DrillSpec | undefined,
  { failed, verified }: Partial<Own> = {},
): readonly Stated[] {
  if (!spec) return [];
  const type = 'RestoreVerified';
  if (failed) {
    const message = `${failed.snapshot}: ${failed.message ?? ''}`;
    return [{ type, status: 'False', reason: 'DrillFailed', message }];
  }
  if (!verified)
    return [
      { type, status: 'Unknown', reason: 'DrillPending', message: 'no drill has succeeded or failed yet' },
    ];
  const how = verified.check === 'Exec' ? 'restored, and the command accepted it' : 'restored';
  return [{ type, status: 'True', reason: 'RestoreVerified', message: `${verified.snapshot} was ${how}` }];
}

/** The calls that the children of drills need. */
export const drillUses = ({ verify }: DrillSpec): readonly Use[] =>
  usesOf(
    ['volume.list', 'volume.read', ...(verify ? ['allocation.list', 'allocation.read'] : [])],
    ['volume.create', ...(verify ? ['allocation.exec'] : [])],
    true,
  );
