// CSISnapshot: the source and name of a snapshot, and the requests that create and delete it. PURE.
import * as z from 'zod';
import type { AllocationsEffect, SchedulerEffect } from '../../api/routes.ts';
import type { SnapshotBody, SnapshotStub } from '../../api/scheduler/wire.ts';
import type { Want } from '../../core/planning/diff.ts';
import type { Effectful } from '../../core/planning/lifecycle.ts';
import { creating } from '../../core/planning/policy.ts';
import type { Situation } from '../../core/planning/situation.ts';
import type { Json } from '../../core/secret.ts';
import { csiSecretsOf } from '../../schema/scheduler/csi-secrets.ts';
import { snapshotData } from '../../schema/scheduler/snapshot-data.ts';
import { takenIn, type Own, type Taken } from './own.ts';
import type { fields, Spec } from './schema.ts';

export interface Live {
  readonly snapshot: SnapshotStub;
  readonly pluginID: string;
}

export type SnapshotEffect =
  | Extract<SchedulerEffect, { readonly op: `snapshot.${string}` }>
  | AllocationsEffect;
export type SnapshotSituation = Situation<Spec, Live, Own>;
type S = SnapshotSituation;

/** Maximum length of the object's name within the name of the snapshot: CSI allows 128 bytes. */
const nameMax = 100;

/** The volume that a snapshot is taken of, and the name by which the provider finds the snapshot again. */
export interface Source {
  readonly name: string;
  readonly volumeID: string;
  readonly pluginID: string;
  /** The plugin's ID of the volume's disk. Absent: not known. */
  readonly disk?: string | undefined;
}

/** The scheduler's namespace. */
export const target = ({ ref }: Pick<S, 'ref'>) => ({ namespace: ref['namespace'] ?? '' });

/** The source of the unfinished create. That create is repeated as it was, even if the volume is no longer declared. */
function recordedSource({ status: { pending } }: Pick<S, 'status'>): Source | undefined {
  if (pending?.op !== 'create') return undefined;
  const { name, volume, plugin, disk } = pending.evidence ?? {};
  return name === undefined || volume === undefined || plugin === undefined
    ? undefined
    : { name, volumeID: volume, pluginID: plugin, disk };
}

/** Outputs of the volume, once it is there. */
export function volumeOf({ resolved }: Pick<S, 'resolved'>): Readonly<Record<string, string>> | undefined {
  const volume = resolved.get('/volumeRef');
  return volume?.state === 'ready' ? volume.outputs : undefined;
}

/**
 * A provider returns the same snapshot for the same name, and no list contains names. So the name is random and
 * recorded with the intent: only the same create, repeated, finds the snapshot that it made.
 */
export function sourceOf(s: S): Source {
  const { spec, key, nonce } = s;
  const volume = volumeOf(s);
  return (
    recordedSource(s) ?? {
      name: `${(spec.externalName ?? key.name).slice(0, nameMax)}-${nonce}`,
      volumeID: spec.volumeID ?? volume?.['volumeID'] ?? '',
      pluginID: spec.pluginID ?? volume?.['pluginID'] ?? '',
      disk: diskOf(volume),
    }
  );
}

const diskOf = (volume: Readonly<Record<string, string>> | undefined): string | undefined =>
  volume?.['externalID'] || undefined;

/**
 * Why the create without a response must not be repeated: its volume is on another disk by now, as after a replacement, and
 * a snapshot of that would hold other data.
 */
export function ofAnotherDisk(s: Pick<S, 'status' | 'resolved'>): string | undefined {
  const { volumeID, disk } = recordedSource(s) ?? {};
  const volume = volumeOf(s);
  const now = diskOf(volume);
  if (disk === undefined || now === undefined || now === disk || volume?.['volumeID'] !== volumeID)
    return undefined;
  return `/volumeRef: the create without a response was of the disk ${disk}, and ${volumeID} is on ${now} by now`;
}

/**
 * Why the snapshot is not of the disk that its volume was recorded on. `undefined`: it is, or nothing tells. What its create told counts
 * before the list: some plugins spell the ID of a disk otherwise there.
 */
export function ofForeignDisk({ observed, status: { own } }: Pick<S, 'observed' | 'status'>) {
  const { id, volumeID, disk, source: told } = takenIn(own) ?? {};
  const listed = observed.state === 'present' ? observed.live.snapshot.ExternalSourceVolumeID : undefined;
  const source = told ?? listed;
  if (!disk || !source || source === disk) return undefined;
  return `${id} is of the disk ${source}, and ${volumeID} was recorded on ${disk} when it was taken`;
}

export const want = ({
  volumeRef,
  volumeID,
  snapshotID,
  pluginID,
  parameters,
}: Spec): Want<keyof typeof fields> => ({
  ...(volumeRef && { '/volumeRef': volumeRef }),
  ...(volumeID !== undefined && { '/volumeID': volumeID }),
  ...(snapshotID !== undefined && { '/snapshotID': snapshotID }),
  ...(pluginID !== undefined && { '/pluginID': pluginID }),
  ...(parameters && { '/parameters': parameters }),
});

/** One snapshot per request: if one of several fails, the service reports none of them (services.md#snapshots). */
export function taking(s: S): Effectful<SnapshotEffect> {
  const { name, volumeID, pluginID, disk } = sourceOf(s);
  const { parameters } = s.spec;
  const secrets = csiSecretsOf(s.spec, s.resolved, s.deleting);
  const body: SnapshotBody = {
    SourceVolumeID: volumeID,
    PluginID: pluginID,
    Name: name,
    ...(parameters && { Parameters: parameters }),
    ...(Object.keys(secrets).length > 0 && { Secrets: secrets }),
  };
  return {
    summary: `take a snapshot of ${volumeID || s.spec.volumeRef?.name}`, // a dry run does not know the ID yet
    effect: {
      port: 'scheduler',
      op: 'snapshot.create',
      params: target(s),
      body: { Snapshots: [body] },
    },
    evidence: { name, volume: volumeID, plugin: pluginID, ...(disk !== undefined && { disk }) },
    attempt: creating(s),
  };
}

/** Deletes the snapshot by its ID. Secrets are sent too, because some services keep none (services.md#snapshots). */
export function deleting(s: S, of: Pick<Taken, 'id' | 'pluginID'>): Effectful<SnapshotEffect> {
  const secrets = csiSecretsOf(s.spec, s.resolved, true);
  return {
    summary: `delete the snapshot ${of.id}`,
    effect: {
      port: 'scheduler',
      op: 'snapshot.delete',
      params: {
        ...target(s),
        plugin_id: of.pluginID,
        snapshot_id: of.id,
        ...(Object.keys(secrets).length > 0 && { secrets }),
      },
    },
    destroys: 'data',
    data: snapshotData(of),
  };
}

const taken = z.looseObject({
  Snapshots: z
    .array(
      z.looseObject({
        ID: z.string().min(1).max(1_024),
        IsReady: z.boolean().nullish(),
        ExternalSourceVolumeID: z.string().max(1_024).nullish(),
      }),
    )
    .length(1),
});

/** The snapshot that a create returned. `undefined`: the answer names no snapshot. */
export function toldIn(reply: Json): Pick<Taken, 'id' | 'ready' | 'source'> | undefined {
  const [snapshot] = taken.safeParse(reply).data?.Snapshots ?? [];
  if (!snapshot) return undefined;
  const { ID: id, IsReady, ExternalSourceVolumeID: source } = snapshot;
  return { id, ready: IsReady === true, ...(source && { source }) };
}
