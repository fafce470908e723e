// The scheduler's rows. Volumes have the neutral shape, whatever dialect is served. Times of allocations and volumes
// are Unix nanoseconds, which a number holds to within a microsecond; those of nodes and snapshots are Unix seconds.
import type { Capability, TaskEvent, Topology } from '../../../api/scheduler/wire.ts';
import type { JobRow, TaskSpec, TextMap } from './job.ts';
import type { Row } from './store.ts';

export interface NamespaceRow extends Row {
  readonly Name: string;
}

export const nodeStatuses = ['initializing', 'ready', 'down'] as const;

export interface NodeRow extends Row {
  readonly ID: string;
  readonly Name: string;
  readonly Datacenter: string;
  /** Host and port of the node's agent. */
  readonly HTTPAddr: string;
  readonly Status: (typeof nodeStatuses)[number];
  /** Unix seconds. */
  readonly StatusUpdatedAt: number;
  readonly SchedulingEligibility: 'eligible' | 'ineligible';
  readonly Drain: boolean;
  /** Topology segments, e.g. the zone. */
  readonly Topology: Topology;
}

/** What a plugin's controller can do: CSI's names → the flags that the API reports (services.md#plugins). */
export const controllerFlags = {
  CREATE_DELETE_VOLUME: 'SupportsCreateDelete',
  PUBLISH_UNPUBLISH_VOLUME: 'SupportsAttachDetach',
  LIST_VOLUMES: 'SupportsListVolumes',
  GET_CAPACITY: 'SupportsGetCapacity',
  CREATE_DELETE_SNAPSHOT: 'SupportsCreateDeleteSnapshot',
  LIST_SNAPSHOTS: 'SupportsListSnapshots',
  CLONE_VOLUME: 'SupportsClone',
  PUBLISH_READONLY: 'SupportsReadOnlyAttach',
  EXPAND_VOLUME: 'SupportsExpand',
  LIST_VOLUMES_PUBLISHED_NODES: 'SupportsListVolumesAttachedNodes',
  VOLUME_CONDITION: 'SupportsCondition',
  GET_VOLUME: 'SupportsGet',
} as const;
export type ControllerCapability = keyof typeof controllerFlags;

export interface PluginSpec {
  readonly ID: string;
  readonly Provider: string;
  readonly Version: string;
  /** Nodes that run a controller; empty for a plugin without one. */
  readonly Controllers: readonly string[];
  readonly ControllersHealthy: number;
  readonly Nodes: readonly string[];
  readonly NodesHealthy: number;
  readonly Capabilities: readonly ControllerCapability[];
  /** Each disk is placed in the topology of a node. */
  readonly RequiresTopologies: boolean;
  /** Secrets without which the provider refuses a call. */
  readonly RequiredSecrets: readonly string[];
  /** If not empty, every controller call fails with this text. */
  readonly FailsWith: string;
  /** How long cutting a snapshot takes. Meanwhile another request for the snapshot fails as pending. */
  readonly SnapshotCutMs: number;
  /** How long after the cut a snapshot becomes ready. */
  readonly SnapshotReadyMs: number;
  readonly PageMax: number;
  /** This number of further page tokens is refused as expired. */
  readonly ExpiredTokens: number;
  /** The plugin deletes disks that are attached. */
  readonly DeletesInUse: boolean;
  /** Every n-th snapshot is corrupt: its data differ from its disk's, which the plugin does not report. 0: none. */
  readonly CorruptsOneIn: number;
}
export type PluginRow = PluginSpec & Row;

export interface VolumeUse {
  readonly ID: string;
  readonly ReadOnly: boolean;
  readonly AccessMode: string;
  readonly AttachmentMode: string;
}

export const clientStatuses = ['pending', 'running', 'complete', 'failed', 'lost', 'unknown'] as const;
export const desiredStatuses = ['run', 'stop', 'evict'] as const;

/** A task as the API shows it: times in RFC 3339, where the year 1 means never. */
export interface Task {
  readonly State: 'pending' | 'running' | 'dead';
  readonly Failed: boolean;
  readonly Restarts: number;
  readonly LastRestart: string;
  readonly StartedAt: string;
  readonly FinishedAt: string;
  readonly Events: readonly TaskEvent[];
}
/** By task name. */
export type TaskStates = Readonly<Record<string, Task>>;

/** The allocation was asked to stop: a replacement is placed first, then its tasks end. */
export interface Stopping {
  readonly EvalID: string;
  readonly At: number;
  /** Tasks may use their shutdown delay. */
  readonly Gently: boolean;
  readonly Reschedule: boolean;
}

export interface Rescheduled {
  readonly PrevAllocID: string;
  readonly PrevNodeID: string;
  readonly RescheduleTime: number;
  /** Nanoseconds. */
  readonly Delay: number;
}

export interface AllocationRow extends Row {
  readonly ID: string;
  readonly EvalID: string;
  readonly Namespace: string;
  readonly Name: string;
  readonly NodeID: string;
  readonly JobID: string;
  /** The job as of the placement; null if it was not registered. */
  readonly Job: JobRow | null;
  readonly TaskGroup: string;
  /** Allocation IDs; empty for none. */
  readonly PreviousAllocation: string;
  readonly NextAllocation: string;
  readonly Rescheduled: readonly Rescheduled[];
  readonly Stopping: Stopping | null;
  readonly DesiredStatus: (typeof desiredStatuses)[number];
  readonly DesiredDescription: string;
  readonly ClientStatus: (typeof clientStatuses)[number];
  readonly ClientDescription: string;
  readonly Volumes: readonly VolumeUse[];
  readonly Tasks: readonly TaskSpec[];
  readonly TaskStates: TaskStates;
  readonly Signals: number;
  /** Index of the last change by the scheduler: the placement or the replacement. */
  readonly AllocModifyIndex: number;
  readonly CreateTime: number;
  readonly ModifyTime: number;
}

/** Whether the allocation has ended on the client. Until then it uses its volumes, whatever its desired status. */
export const hasEnded = ({ ClientStatus }: Pick<AllocationRow, 'ClientStatus'>): boolean =>
  ['complete', 'failed', 'lost'].includes(ClientStatus);

/** Whether the allocation has ended or should end; `unknown` alone is neither (services.md#allocations). */
export const isTerminal = (status: Pick<AllocationRow, 'DesiredStatus' | 'ClientStatus'>): boolean =>
  status.DesiredStatus !== 'run' || hasEnded(status);

export interface Claim {
  readonly NodeID: string;
}
export type Claims = Readonly<Record<string, Claim>>;

export type MountOptions = { readonly FsType: string; readonly MountFlags: readonly string[] | null };

export type TopologyRequest = {
  readonly Required: readonly Topology[];
  readonly Preferred: readonly Topology[];
};

export interface VolumeSpec {
  readonly ID: string;
  readonly Namespace: string;
  readonly Name: string;
  readonly ExternalID: string;
  readonly PluginID: string;
  readonly CloneID: string;
  readonly SnapshotID: string;
  readonly RequestedCapabilities: readonly Capability[];
  readonly RequestedTopologies: TopologyRequest | null;
  readonly Topologies: readonly Topology[];
  readonly MountOptions: MountOptions | null;
  readonly Secrets: TextMap;
  readonly Parameters: TextMap;
  readonly Context: TextMap;
  /** Bytes; 0: not given. */
  readonly RequestedCapacityMin: number;
  readonly RequestedCapacityMax: number;
}

export interface VolumeRow extends VolumeSpec, Row {
  /** Never null once stored. */
  readonly MountOptions: MountOptions;
  /** Bytes, as rounded by the provider; 0: unknown. */
  readonly Capacity: number;
  readonly Provider: string;
  readonly Version: string;
  /** The modes of the current claims; empty without claims. */
  readonly AccessMode: string;
  readonly AttachmentMode: string;
  readonly ReadAllocs: Claims;
  readonly WriteAllocs: Claims;
  readonly CreateTime: number;
  readonly ModifyTime: number;
}

export const claimants = (v: Pick<VolumeRow, 'ReadAllocs' | 'WriteAllocs'>): readonly string[] => [
  ...Object.keys(v.ReadAllocs),
  ...Object.keys(v.WriteAllocs),
];

/** A disk at a storage provider. It is stored only to survive a restart: the scheduler knows volumes, not disks. */
export interface DiskRow extends Row {
  readonly PluginID: string;
  /** Empty for a disk that was not made through the plugin. */
  readonly Name: string;
  readonly ExternalID: string;
  readonly CapacityBytes: number;
  readonly Parameters: TextMap;
  readonly SnapshotID: string;
  readonly CloneID: string;
  readonly Topologies: readonly Topology[];
  /** Allocations for which the disk is attached to a node. */
  readonly AttachedFor: readonly string[];
  /** `Status` says what is wrong. */
  readonly IsAbnormal: boolean;
  readonly Status: string;
  /** The data differ from those of the source. A command that reads the disk notices it. */
  readonly IsCorrupt: boolean;
}

export interface SnapshotSpec {
  readonly PluginID: string;
  readonly ID: string;
  /** Empty for a snapshot that was not made through the plugin. */
  readonly Name: string;
  /** External ID of the source disk. */
  readonly SourceID: string;
  readonly SizeBytes: number;
  readonly CreateTime: number;
  /** Unix milliseconds; 0: the snapshot never becomes ready by time. */
  readonly ReadyAtMs: number;
  readonly IsReady: boolean;
  readonly Parameters: TextMap;
  /** The secrets of its creation. */
  readonly Secrets: TextMap;
  /** The provider refuses to delete it. */
  readonly InUse: boolean;
  /** Disks made from the snapshot are corrupt. */
  readonly IsCorrupt: boolean;
}
export type SnapshotRow = SnapshotSpec & Row;

/** The key of a row that belongs to a namespace or a plugin. Keys sort by the first part, then the second. */
export const pairKey = (first: string, second: string): string => `${first}\0${second}`;
