// CSIVolume: what is recorded of a disk: its identity, and what it takes to register it again. PURE.
import * as z from 'zod';
import type { VolumeRead } from '../../api/scheduler/wire.ts';
import type { Applied } from '../../core/planning/diff.ts';
import type { Intent } from '../../core/status.ts';
import type { Sealed } from '../../core/secret.ts';

const texts = z.record(z.string(), z.string());
const topologies = z.array(texts);

const disk = z.object({
  externalID: z.string().min(1),
  name: z.string(),
  pluginID: z.string(),
  /** Bytes. */
  capacity: z.number(),
  parameters: texts,
  /** As requested. */
  required: topologies,
  preferred: topologies,
  /** As the provider chose. */
  topologies,
  fsType: z.string(),
  snapshotID: z.string(),
  /** What the provider wants to see again of its own (CSI volume context; by CSI's rules never a secret). */
  context: texts,
  capabilities: z.array(z.object({ accessMode: z.string(), attachmentMode: z.string() })),
});

export type Disk = Readonly<z.infer<typeof disk>>;

/** A disk that was let go of, and is not destroyed or brought back yet. */
const previous = z.object({
  disk,
  /** ID under which it is registered to be destroyed; nobody knows it. Absent: it is to be kept. */
  retired: z.string().min(1).exactOptional(),
  /** It is not destroyed after all. */
  kept: z.literal(true).exactOptional(),
  /** What was last written to it: known again once it is back. */
  applied: z.record(z.string(), z.json()),
});

export type Previous = {
  readonly disk: Disk;
  readonly retired?: string;
  readonly kept?: true;
  readonly applied: Applied;
};

const own = z.object({
  /** Of the volume that is there. Absent: nobody has seen it yet. */
  disk: disk.exactOptional(),
  previous: previous.exactOptional(),
  /** The replacement that was refused: what it was to be made as, and why. It is not tried again until that changes. */
  refused: z.object({ wanted: z.string(), why: z.string() }).exactOptional(),
});

export type Own = {
  readonly disk?: Disk;
  readonly previous?: Previous;
  readonly refused?: { readonly wanted: string; readonly why: string };
};

/** @returns `undefined` for what can't be read: nothing is then known to be ours */
export const parseOwn = (raw: unknown): Own | undefined => own.safeParse(raw).data;

/** The same disk registered again is another registration. */
export const identityOf = ({ ExternalID, CreateIndex }: VolumeRead): string =>
  `${ExternalID} ${CreateIndex ?? ''}`;

export const diskOf = (volume: VolumeRead): Disk => ({
  externalID: volume.ExternalID,
  name: volume.Name,
  pluginID: volume.PluginID,
  capacity: volume.Capacity ?? 0,
  parameters: volume.Parameters ?? {},
  required: [...(volume.RequestedTopologies?.Required ?? [])],
  preferred: [...(volume.RequestedTopologies?.Preferred ?? [])],
  topologies: [...(volume.Topologies ?? [])],
  fsType: volume.MountOptions?.FsType ?? '',
  snapshotID: volume.SnapshotID ?? '',
  context: volume.Context ?? {},
  capabilities: (volume.RequestedCapabilities ?? []).map((c) => ({
    accessMode: c.AccessMode,
    attachmentMode: c.AttachmentMode,
  })),
});

/** What registers the disk as it was, beside its ID and its secrets. */
export const registration = (
  d: Disk,
  mountFlags: readonly string[] | undefined,
): Readonly<Record<string, Sealed | undefined>> => ({
  ExternalID: d.externalID,
  Name: d.name,
  PluginID: d.pluginID,
  Capacity: d.capacity,
  Context: d.context,
  Parameters: Object.keys(d.parameters).length > 0 ? d.parameters : undefined,
  Topologies: d.topologies,
  ...(d.required.length + d.preferred.length > 0 && {
    RequestedTopologies: { Required: d.required, Preferred: d.preferred },
  }),
  MountOptions: { FsType: d.fsType === '' ? undefined : d.fsType, MountFlags: mountFlags },
  SnapshotID: d.snapshotID === '' ? undefined : d.snapshotID,
});

/** Registered again, it has another identity, which nobody has seen yet: until then the intent is the proof. */
export const reviving: Intent = { op: 'revive', token: '' };
