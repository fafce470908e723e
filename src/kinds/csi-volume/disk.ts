// CSIVolume: its own part of the status: the identity of each disk, and what a new registration needs. PURE.
import * as z from 'zod';
import type { VolumeRead } from '../../api/scheduler/wire.ts';
import type { Applied } from '../../core/planning/diff.ts';
import type { Intent, Status } from '../../core/status/status.ts';
import type { Sealed } from '../../core/secret.ts';

const texts = z.record(z.string(), z.string());
const topologies = z.array(texts);

const disk = z.object({
  externalID: z.string().min(1),
  name: z.string(),
  pluginID: z.string(),
  /** In bytes. */
  capacity: z.number(),
  parameters: texts,
  /** As requested. */
  required: topologies,
  preferred: topologies,
  /** As the provider chose. */
  topologies,
  fsType: z.string(),
  snapshotID: z.string(),
  /** CSI volume context, which the provider needs back. CSI forbids secrets in it. */
  context: texts,
  capabilities: z.array(z.object({ accessMode: z.string(), attachmentMode: z.string() })),
});

export type Disk = Readonly<z.infer<typeof disk>>;

/** A disk that was released, and is neither destroyed nor registered under its own ID again. */
const previous = z.object({
  disk,
  /** ID under which the disk is registered to be destroyed. Absent: the disk is kept. */
  retired: z.string().min(1).exactOptional(),
  /** It must not be destroyed. */
  kept: z.literal(true).exactOptional(),
  /** Its destruction was asked for without an answer, and may still take effect. */
  destroying: z.literal(true).exactOptional(),
  /** The fields last written to the volume. */
  applied: z.record(z.string(), z.json()),
});

export type Previous = {
  readonly disk: Disk;
  readonly retired?: string;
  readonly kept?: true;
  readonly destroying?: true;
  readonly applied: Applied;
};

const own = z.object({
  /** Disk of the present volume. Absent: not read yet. */
  disk: disk.exactOptional(),
  previous: previous.exactOptional(),
  /** A failed replacement: hash of its declaration, and why it failed. */
  refused: z.object({ wanted: z.string(), why: z.string() }).exactOptional(),
  /** The state was restored since it was written. What is there instead of the disk may have come after it. */
  restored: z.literal(true).exactOptional(),
});

export type Own = {
  readonly disk?: Disk;
  readonly previous?: Previous;
  readonly refused?: { readonly wanted: string; readonly why: string };
  readonly restored?: true;
};

/** @returns `undefined` if it can't be read: then nothing is known to be ours */
export const parseOwn = (raw: unknown): Own | undefined => own.safeParse(raw).data;

/** A disk that is registered again gets another identity. */
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

type Remembered = Pick<Status<Own>, 'applied' | 'kept'>;

/** The topologies that the disk was made with. Not every service returns them. */
function requested({ required, preferred }: Disk, { applied, kept = {} }: Remembered): Sealed | undefined {
  const isKnown = required.length + preferred.length > 0;
  const askedFor = (path: string) => {
    const before = kept[path] ?? applied[path];
    return Array.isArray(before) ? before : [];
  };
  const [must, may] = isKnown
    ? [required, preferred]
    : [askedFor('/topology/required'), askedFor('/topology/preferred')];
  return must.length + may.length > 0 ? { Required: must, Preferred: may } : undefined;
}

/**
 * The fields that register the disk as it was, without ID and secrets.
 *
 * @param remembered of the time when the disk was recorded
 */
export const registration = (
  d: Disk,
  mountFlags: readonly string[] | undefined,
  remembered: Remembered,
): Readonly<Record<string, Sealed | undefined>> => ({
  ExternalID: d.externalID,
  Name: d.name,
  PluginID: d.pluginID,
  Capacity: d.capacity,
  Context: d.context,
  Parameters: Object.keys(d.parameters).length > 0 ? d.parameters : undefined,
  Topologies: d.topologies,
  RequestedTopologies: requested(d, remembered),
  MountOptions: { FsType: d.fsType === '' ? undefined : d.fsType, MountFlags: mountFlags },
  SnapshotID: d.snapshotID === '' ? undefined : d.snapshotID,
});

export const sizes = ['/create/capacity/min', '/create/capacity/max'] as const;

/** The size that was last asked for. A registration resizes no disk, so it must not pass for the size that is declared since. */
export const sizeOf = (applied: Applied): Readonly<Record<string, Sealed | undefined>> => ({
  RequestedCapacityMin: applied[sizes[0]],
  RequestedCapacityMax: applied[sizes[1]],
});

/** The identity of the new registration is not read yet; until then the intent proves ownership. */
export const reviving: Intent = { op: 'revive', token: '' };

/** Fields of the update that deregistered the volume, of which registering it again is the other half. Empty: none did. */
export const updatedBy = (pending: Intent | undefined): readonly string[] =>
  pending && (pending.op === 'update' || pending.op === 'revive') && pending.token !== ''
    ? pending.token.split(',')
    : [];

/** Whether an update may have deregistered the volume, and is not known to have registered it again. */
export const isHalfUpdated = (pending: Intent | undefined): boolean =>
  updatedBy(pending).length > 0 && !(pending?.op === 'revive' && pending.done);

/** Once a person trusts a restored state: what was let go of is kept, and what has the place of the disk is not in its way. */
export const keep = ({ own: known, ...status }: Status<Own>): Status<Own> => ({
  ...status,
  ...(known && {
    own: {
      ...known,
      ...(known.previous && { previous: { ...known.previous, kept: true } }),
      restored: true,
    },
  }),
});
