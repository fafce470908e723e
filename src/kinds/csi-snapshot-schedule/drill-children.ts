// CSISnapshotSchedule: the objects that a drill has the source declare, and their state. PURE.
import { generatedBy, retentionHold, type Child } from '../../core/effect.ts';
import { keyText, type Key } from '../../core/resource.ts';
import { conditionOf, isTrue } from '../../core/status/condition.ts';
import { requestPrefix } from '../../core/source/request.ts';
import type { Entry } from '../../core/source/source.ts';
import { startOf, type ScheduledSnapshot } from './children.ts';
import { volumeWord, type DrillSpec } from './drill-schema.ts';
import type { Drill } from './own.ts';
import type { Spec } from './schema.ts';

export const volumeKind = 'CSIVolume';
export const checkKind = 'AllocationAction';

/** Annotation of a child: the time at which its drill began. */
const drillAt = 'drill';

/** A child of a drill, as the source lists it. */
export interface Made {
  readonly key: Key;
  readonly uid: string;
  readonly drillAt: string;
  /** It is being deleted. */
  readonly deleting: boolean;
  /** A person keeps it with `retention-hold`. */
  readonly held: boolean;
  /** A manifest declares it now, so it no longer belongs to the drill. */
  readonly taken: boolean;
  readonly state: 'pending' | 'ready' | 'failed';
  /** Why it is not ready. */
  readonly why: string;
}

const nameMax = 63;
const middle = '-drill-';

/** A DNS label. @param nonce drawn for this drill */
export const drillName = (schedule: string, nonce: string): string =>
  `${startOf(schedule, nameMax - middle.length - nonce.length)}${middle}${nonce}`;

const anyCapability = [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }];

const child = (key: Key, kind: string, drill: Drill, spec: Child['spec']): Child => ({
  key: { kind, namespace: key.namespace, name: drill.name },
  labels: { [`${requestPrefix}schedule`]: key.name },
  annotations: {
    [`${requestPrefix}${generatedBy}`]: keyText(key),
    [`${requestPrefix}${drillAt}`]: drill.startedAt,
  },
  spec,
});

/** The policies are explicit, so that no default of the connection makes it adopt an existing volume. */
export const volumeOf = (
  key: Key,
  { connectionRef }: Pick<Spec, 'connectionRef'>,
  { volume = {} }: Pick<DrillSpec, 'volume'>,
  drill: Drill,
  { pluginID, capacity }: { readonly pluginID: string; readonly capacity: string | number },
): Child => {
  const { capabilities = anyCapability, parameters, secrets } = volume;
  return child(key, volumeKind, drill, {
    connectionRef,
    pluginID,
    capabilities,
    create: {
      capacity: { min: capacity },
      snapshotRef: { name: drill.snapshot },
      ...(parameters && { parameters }),
    },
    ...(secrets && { secrets }),
    managementPolicy: 'Full',
    adoptionPolicy: 'Fail',
    deletionPolicy: 'Delete',
    replacePolicy: 'Never',
  });
};

export const checkOf = (
  key: Key,
  { connectionRef }: Pick<Spec, 'connectionRef'>,
  { selector, exec }: NonNullable<DrillSpec['verify']>,
  drill: Drill,
): Child => {
  const command = exec.command.map((word) => word.replaceAll(volumeWord, () => drill.name));
  return child(key, checkKind, drill, { connectionRef, selector, action: { exec: { ...exec, command } } });
};

/** The plugin and capacity for a restore of the snapshot. @returns text: why they are not known */
export function shapeOf(
  snapshot: Pick<ScheduledSnapshot, 'name' | 'pluginID' | 'sizeBytes'>,
  { volume }: Pick<DrillSpec, 'volume'>,
): { readonly pluginID: string; readonly capacity: string | number } | string {
  const { name, pluginID, sizeBytes = 0 } = snapshot;
  const capacity = volume?.capacity ?? sizeBytes;
  if (pluginID === undefined) return `the plugin of ${name} is not known`;
  if (capacity === 0) return `the plugin does not tell the size of ${name}: set drill.volume.capacity`;
  return { pluginID, capacity };
}

/** The children that drills of a schedule made. */
export const madeIn = (children: readonly Entry[]): readonly Made[] =>
  children.flatMap((entry) => {
    const { key, uid, deleting, requests, origin } = entry.object;
    const at = requests[drillAt];
    if (at === undefined || (key.kind !== volumeKind && key.kind !== checkKind)) return [];
    return {
      key,
      uid,
      drillAt: at,
      deleting,
      held: requests[retentionHold] !== undefined,
      taken: origin !== undefined,
      ...progressOf(entry),
    };
  });

function progressOf({ object, status: { conditions } }: Entry): Pick<Made, 'state' | 'why'> {
  const ready = conditionOf(conditions, 'Ready');
  const why = object.problem?.message ?? (ready ? `${ready.reason}: ${ready.message}` : 'not looked at yet');
  const abnormal = conditionOf(conditions, 'Abnormal');
  if (abnormal?.status === 'True') return { state: 'failed', why: `${abnormal.reason}: ${abnormal.message}` };
  if (object.problem !== undefined || isTrue(conditions, 'Stalled')) return { state: 'failed', why };
  const isReady = ready?.status === 'True' && isTrue(conditions, 'Synced');
  return { state: isReady ? 'ready' : 'pending', why };
}
