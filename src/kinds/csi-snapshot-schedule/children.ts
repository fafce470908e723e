// CSISnapshotSchedule: its snapshots, as the child objects that the source declares for it. PURE.
import { generatedBy, retentionHold, type Child } from '../../core/effect.ts';
import { shortHash } from '../../core/hash.ts';
import { isRecord } from '../../core/json.ts';
import { isSuspended, managing } from '../../core/planning/policy.ts';
import { keyText, type DeclaredObject, type Key } from '../../core/resource.ts';
import { conditionOf, isBecause, isTrue } from '../../core/status/condition.ts';
import { hasUnansweredCreate } from '../../core/status/status.ts';
import { requestPrefix } from '../../core/source/request.ts';
import type { Entry } from '../../core/source/source.ts';
import { msOf, stampOf, textOf } from './instants.ts';
import type { Snapshot } from './retention.ts';
import type { Spec } from './schema.ts';

export const childKind = 'CSISnapshot';
const scheduledAt = 'scheduled-at';

export interface ScheduledSnapshot extends Snapshot {
  readonly key: Key;
  readonly uid: string;
  /** It is being deleted. */
  readonly deleting: boolean;
  readonly isEmpty: boolean;
  /** As observed. Absent: the plugin does not report it. */
  readonly pluginID?: string;
  readonly sizeBytes?: number;
}

/** The schedule's name. If it is too long: its start, and a hash of the whole name. @param max characters */
export const startOf = (schedule: string, max: number): string =>
  schedule.length <= max ? schedule : `${schedule.slice(0, max - 9)}-${shortHash(schedule)}`;

const startMax = 50;

/** Depends only on the schedule and the run, so a run whose record was lost makes no second snapshot. */
export const nameOf = (schedule: string, atMs: number): string =>
  `${startOf(schedule, startMax)}-${stampOf(atMs)}`;

/** The child that the source declares for a run. */
export function childOf(key: Key, { connectionRef, volumeRef, template }: Spec, atMs: number): Child {
  const { labels, annotations } = template?.metadata ?? {};
  return {
    key: { kind: childKind, namespace: key.namespace, name: nameOf(key.name, atMs) },
    labels: { ...labels, [`${requestPrefix}schedule`]: key.name },
    annotations: {
      ...annotations,
      [`${requestPrefix}${generatedBy}`]: keyText(key),
      [`${requestPrefix}${scheduledAt}`]: textOf(atMs),
    },
    spec: { ...template?.spec, connectionRef, volumeRef },
  };
}

/** The run that a snapshot was taken for; `undefined`: the schedule would not have declared it so. */
function runOf(
  spec: Pick<Spec, 'volumeRef' | 'connectionRef'>,
  key: Key,
  object: Pick<DeclaredObject, 'key' | 'requests' | 'spec'>,
): number | undefined {
  const { kind, namespace, name } = object.key;
  const atMs = msOf(object.requests[scheduledAt]);
  const isNamed = atMs !== undefined && name === nameOf(key.name, atMs);
  return kind === childKind && namespace === key.namespace && isNamed && isOf(spec, object)
    ? atMs
    : undefined;
}

export const isScheduled = (...of: Parameters<typeof runOf>): boolean => runOf(...of) !== undefined;

/**
 * The snapshots of a schedule, oldest first. Objects under another name, and snapshots of another volume or connection,
 * are not included: a person made them so.
 */
export const snapshotsOf = (
  key: Key,
  spec: Pick<Spec, 'volumeRef' | 'connectionRef'>,
  children: readonly Entry[],
): readonly ScheduledSnapshot[] =>
  children
    .flatMap((child) => {
      const { key: own, uid, deleting } = child.object;
      const atMs = runOf(spec, key, child.object);
      if (atMs === undefined) return [];
      const { own: recorded, pending } = child.status;
      return {
        key: own,
        uid,
        name: own.name,
        atMs,
        state: stateOf(child),
        held: isHeld(child),
        deleting,
        isEmpty: isEmptyRecord(recorded) && pending === undefined,
        ...takenIn(recorded),
        ...shapeIn(child.status.observed),
      };
    })
    .toSorted((a, b) => a.atMs - b.atMs);

/** Its time is as the plugin listed it once it was ready, in seconds. 0: it told none. */
function takenIn(recorded: unknown): Pick<Snapshot, 'takenMs' | 'disk'> {
  const { takenAt, disk } = isRecord(recorded) ? recorded : {};
  return {
    ...(typeof takenAt === 'number' && takenAt > 0 && { takenMs: takenAt * 1_000 }),
    ...(typeof disk === 'string' && { disk }),
  };
}

const shapeIn = ({ pluginID, sizeBytes }: Readonly<Record<string, unknown>> = {}) => ({
  ...(typeof pluginID === 'string' && { pluginID }),
  ...(typeof sizeBytes === 'number' && { sizeBytes }),
});

/** At most, hooks ran; nothing is frozen any more. */
const isEmptyRecord = (own: unknown): boolean =>
  own === undefined ||
  (isRecord(own) &&
    own['id'] === undefined &&
    isRecord(own['hooks']) &&
    own['hooks']['quiesce'] === undefined);

function isOf(
  { volumeRef, connectionRef }: Pick<Spec, 'volumeRef' | 'connectionRef'>,
  object: Pick<DeclaredObject, 'spec'>,
): boolean {
  const { volumeRef: volume, connectionRef: connection } = isRecord(object.spec) ? object.spec : {};
  return (
    isRecord(volume) &&
    volume['name'] === volumeRef.name &&
    isRecord(connection) &&
    connection['name'] === connectionRef.name
  );
}

/** Its create was not answered and must not be repeated: deleted, it would leave behind what that made. A person has to look. */
const mayBeThere = (status: Entry['status']): boolean =>
  hasUnansweredCreate(status) && isBecause(conditionOf(status.conditions, 'Stalled'), 'VolumeReplaced');

/** A person holds it, a manifest declares it, or it could not be deleted now. */
function isHeld({ object: { spec, requests, problem, origin }, status }: Entry): boolean {
  const { suspend, managementPolicy } = isRecord(spec) ? spec : {};
  const isKept = requests[retentionHold] !== undefined || managementPolicy === 'ObserveOnly';
  return (
    isKept ||
    origin !== undefined ||
    problem !== undefined ||
    mayBeThere(status) ||
    isSuspended(requests, { ...managing, suspend: suspend === true })
  );
}

/**
 * unknown: the status is outdated, and the snapshot can't be read now. Where the plugin lists no snapshots, one that was not ready when
 * it was taken counts as failed, since nothing will ever tell that it is ready.
 */
function stateOf({ status: { conditions } }: Entry): Snapshot['state'] {
  const synced = conditionOf(conditions, 'Synced');
  if (isTrue(conditions, 'Stalled')) return 'failed';
  if (synced === undefined) return 'pending'; // not reconciled yet
  const isUnverified = isBecause(synced, 'AppliedUnverified');
  if (synced.status === 'Unknown' && !isUnverified) return 'unknown';
  if (isTrue(conditions, 'Ready') && isTrue(conditions, 'SnapshotReady')) return 'ready';
  return isUnverified ? 'failed' : 'pending';
}
