// CSISnapshot: what its status shows, and its conditions. PURE.
import type { Report } from '../../core/kind/kind.ts';
import type { ConditionStatus, Stated } from '../../core/status/condition.ts';
import type { Reason } from '../../core/status/reasons.ts';
import { ofForeignDisk, type SnapshotSituation } from './body.ts';
import { takenIn, type Own, type Taken } from './own.ts';
import { notReady } from './plan.ts';
import { consistencyOf, inconsistency } from './consistency.ts';

type S = SnapshotSituation;

export function ofVolume(own: Own | undefined) {
  const { volumeID } = takenIn(own) ?? {};
  return volumeID !== undefined && { volumeID };
}

/** RFC 3339. */
function timeOf(unixSeconds: number | undefined): { readonly takenAt?: string } {
  // oxlint-disable-next-line no-restricted-globals -- the given instant; the clock is not asked
  const at = new Date((unixSeconds ?? NaN) * 1_000);
  return Number.isNaN(at.getTime()) ? {} : { takenAt: at.toISOString() };
}

function shown({ observed, status: { own } }: S) {
  if (observed.state === 'present') {
    const { snapshot, pluginID } = observed.live;
    const { ID: id, SizeBytes: size, ExternalSourceVolumeID: source } = snapshot;
    return {
      id,
      pluginID,
      ...ofVolume(own),
      ...(typeof size === 'number' && { sizeBytes: size }),
      ...(typeof source === 'string' && { externalVolumeID: source }),
      ...timeOf(snapshot.CreateTime),
    };
  }
  const taken = takenIn(own);
  if (observed.state === 'absent' || !taken) return {};
  const { id, pluginID, takenAt } = taken;
  return { id, pluginID, ...ofVolume(own), ...timeOf(takenAt) };
}

const stated = (status: ConditionStatus, reason: Reason, message = ''): readonly Stated[] => [
  { type: 'SnapshotReady', status, reason, message },
];

/** Why the snapshot can't be used yet. `undefined`: it can be used, or there is none. */
function whyUnready({ observed, status: { own } }: S): string | undefined {
  if (observed.state === 'present') {
    const { ID, IsReady } = observed.live.snapshot;
    return IsReady === true ? undefined : notReady(ID);
  }
  const taken = takenIn(own);
  return observed.state === 'unknown' && taken?.ready === false ? notListed(taken) : undefined;
}

function readiness(s: S): readonly Stated[] {
  const { observed, status } = s;
  if (observed.state === 'absent' || (observed.state === 'unknown' && !takenIn(status.own))) return [];
  const why = whyUnready(s);
  if (observed.state === 'present')
    return why === undefined ? stated('True', 'ReadyToUse') : stated('False', 'SnapshotNotReady', why);
  return why === undefined
    ? stated('True', 'ReadyToUse', 'as it was told when it was taken')
    : stated('Unknown', 'SnapshotsNotListed', why);
}

const notListed = ({ id, pluginID }: Taken): string =>
  `${id} was not ready when it was taken, and ${pluginID} lists no snapshots (it lacks LIST_SNAPSHOTS)`;

const statusOf = {
  Quiesced: 'True',
  QuiesceDisturbed: 'False',
  QuiesceExpired: 'False',
  QuiesceFailed: 'False',
  QuiesceInterrupted: 'Unknown',
} as const;

function consistency({ status: { own } }: S): readonly Stated[] {
  const said = consistencyOf(own);
  const { unthawed } = own?.hooks ?? {};
  return [
    ...(said ? [{ type: 'Consistent', status: statusOf[said.reason], ...said } as const] : []),
    ...(unthawed !== undefined
      ? [{ type: 'WorkloadFrozen', status: 'Unknown', reason: 'ThawFailed', message: unthawed } as const]
      : []),
  ];
}

export function report(s: S): Report {
  const why = whyUnready(s);
  const wrong = inconsistency(s);
  const foreign = ofForeignDisk(s);
  return {
    observed: shown(s),
    conditions: [...readiness(s), ...consistency(s)],
    ...(why !== undefined && { unready: { reason: 'SnapshotNotReady', message: why } }),
    ...(wrong && { unready: wrong }),
    ...(foreign !== undefined && { unready: { reason: 'VolumeReplaced', message: foreign } }),
  };
}
