// CSISnapshotSchedule: its snapshots, as the objects that it had the source declare. PURE.
import { generatedBy, retentionHold, type Child } from '../../core/effect.ts';
import { shortHash } from '../../core/hash.ts';
import { isRecord } from '../../core/json.ts';
import { isSuspended, managing } from '../../core/planning/policy.ts';
import { keyText, type Key } from '../../core/resource.ts';
import { conditionOf, isBecause, isTrue } from '../../core/status/condition.ts';
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
  /** It is being deleted already. */
  readonly leaving: boolean;
  /** Nothing of it can be outside: no snapshot was told of, and none is being taken. */
  readonly isEmpty: boolean;
  /** As observed; what the plugin does not tell is absent. */
  readonly pluginID?: string;
  readonly sizeBytes?: number;
}

/** The schedule's name, or the start of it and a hash of the whole. @param max characters */
export const startOf = (schedule: string, max: number): string =>
  schedule.length <= max ? schedule : `${schedule.slice(0, max - 9)}-${shortHash(schedule)}`;

const startMax = 50;

/** The same for the same run, whoever computes it: a run whose record was lost makes no second one. */
export const nameOf = (schedule: string, atMs: number): string =>
  `${startOf(schedule, startMax)}-${stampOf(atMs)}`;

/** What the source is to declare for a run. */
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

/**
 * The snapshots of a schedule, oldest first. A copy under another name is not one, nor is one of another volume: a person
 * made that what it is.
 */
export const snapshotsOf = (
  key: Key,
  spec: Pick<Spec, 'volumeRef' | 'connectionRef'>,
  children: readonly Entry[],
): readonly ScheduledSnapshot[] =>
  children
    .flatMap((child) => {
      const { key: own, uid, deleting, requests } = child.object;
      const atMs = msOf(requests[scheduledAt]);
      if (own.kind !== childKind || atMs === undefined || own.name !== nameOf(key.name, atMs)) return [];
      if (!isOf(spec, child)) return [];
      const { own: recorded, pending } = child.status;
      return {
        key: own,
        uid,
        name: own.name,
        atMs,
        state: stateOf(child),
        held: isHeld(child),
        leaving: deleting,
        isEmpty: isEmptyRecord(recorded) && pending === undefined,
        ...shapeIn(child.status.observed),
      };
    })
    .toSorted((a, b) => a.atMs - b.atMs);

const shapeIn = ({ pluginID, sizeBytes }: Readonly<Record<string, unknown>> = {}) => ({
  ...(typeof pluginID === 'string' && { pluginID }),
  ...(typeof sizeBytes === 'number' && { sizeBytes }),
});

/** Hooks were tried at most, and nothing is frozen any more. */
const isEmptyRecord = (own: unknown): boolean =>
  own === undefined ||
  (isRecord(own) &&
    own['id'] === undefined &&
    isRecord(own['hooks']) &&
    own['hooks']['quiesce'] === undefined);

function isOf(
  { volumeRef, connectionRef }: Pick<Spec, 'volumeRef' | 'connectionRef'>,
  { object }: Entry,
): boolean {
  const { volumeRef: volume, connectionRef: connection } = isRecord(object.spec) ? object.spec : {};
  return (
    isRecord(volume) &&
    volume['name'] === volumeRef.name &&
    isRecord(connection) &&
    connection['name'] === connectionRef.name
  );
}

/** By a person's word, or by a manifest. One that could not be deleted now does not go either. */
function isHeld({ object: { spec, requests, problem, origin } }: Entry): boolean {
  const { suspend, managementPolicy } = isRecord(spec) ? spec : {};
  const isKept = requests[retentionHold] !== undefined || managementPolicy === 'ObserveOnly';
  return (
    isKept ||
    origin !== undefined ||
    problem !== undefined ||
    isSuspended(requests, { ...managing, suspend: suspend === true })
  );
}

/** What was read a while ago, and can't be read now, is not known. */
function stateOf({ status: { conditions } }: Entry): Snapshot['state'] {
  const synced = conditionOf(conditions, 'Synced');
  if (isTrue(conditions, 'Stalled')) return 'failed';
  if (synced === undefined) return 'pending'; // nobody has looked at it yet
  const isRead = synced.status !== 'Unknown' || isBecause(synced, 'AppliedUnverified');
  if (!isRead) return 'unknown';
  return isTrue(conditions, 'Ready') && isTrue(conditions, 'SnapshotReady') ? 'ready' : 'pending';
}
