// The scheduler's rows. Volumes are in the documents' shape, whatever dialect is spoken at the edge; times are Unix
// nanoseconds as in the documents, which a number holds to within a microsecond.
import type { Capability, TaskEvent, Topology } from '../../../api/scheduler/wire.ts';
import type { Row } from './store.ts';

export type TextMap = Readonly<Record<string, string>>;

export interface NamespaceRow extends Row {
  readonly Name: string;
}

export const nodeStatuses = ['initializing', 'ready', 'down'] as const;

export interface NodeRow extends Row {
  readonly ID: string;
  readonly Name: string;
  readonly Datacenter: string;
  readonly Status: (typeof nodeStatuses)[number];
  /** Unix seconds. */
  readonly StatusUpdatedAt: number;
  readonly SchedulingEligibility: 'eligible' | 'ineligible';
  readonly Drain: boolean;
  /** Where its disks have to be: segments, e.g. zone. */
  readonly Topology: Topology;
}

/** What a plugin's controller can do: CSI's names → the flags that the API reports (wire.md 2.5, "Plugin read"). */
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

/** What may be said of a plugin. */
export interface PluginSpec {
  readonly ID: string;
  readonly Provider: string;
  readonly Version: string;
  /** IDs of the nodes that run a controller; none: the plugin has no controller. */
  readonly Controllers: readonly string[];
  readonly ControllersHealthy: number;
  readonly Nodes: readonly string[];
  readonly NodesHealthy: number;
  readonly Capabilities: readonly ControllerCapability[];
  /** Its disks live in the topology of a node, and not elsewhere. */
  readonly RequiresTopologies: boolean;
  /** Keys without which the provider refuses a call. */
  readonly RequiredSecrets: readonly string[];
  /** Not empty: every call of the controller fails with this text. */
  readonly FailsWith: string;
  /** How long it works on a snapshot before it answers; who asks for the same one meanwhile is told so. */
  readonly SnapshotCutMs: number;
  /** How long a snapshot takes from then on until it is ready. */
  readonly SnapshotReadyMs: number;
  /** It never lists more at a time, whatever is asked for. */
  readonly PageMax: number;
  /** It deletes a disk that is attached, too. */
  readonly DeletesInUse: boolean;
}
export type PluginRow = PluginSpec & Row;

/** What may be said of a job. */
export interface JobSpec {
  readonly ID: string;
  readonly Namespace: string;
  readonly ParentID: string;
  readonly Type: string;
  readonly Priority: number;
  readonly Datacenters: readonly string[];
  readonly Meta: TextMap;
  readonly Payload: string;
  readonly SecretsStoreToken: string;
  readonly Status: string;
}
export type JobRow = JobSpec & Row;

/** What an allocation asks for. */
export interface VolumeUse {
  readonly ID: string;
  readonly ReadOnly: boolean;
  readonly AccessMode: string;
  readonly AttachmentMode: string;
}

export const clientStatuses = ['pending', 'running', 'complete', 'failed', 'lost', 'unknown'] as const;
export const drivers = ['exec', 'docker', 'raw_exec'] as const;
export const desiredStatuses = ['run', 'stop', 'evict'] as const;

/** What may be said of a task. */
export interface TaskSpec {
  readonly Name: string;
  /** Drivers differ in what they do with a signal that they don't know, and in whether a command can leave the task. */
  readonly Driver: (typeof drivers)[number];
  /** How long it takes to run again after a restart. */
  readonly RestartMs: number;
  /** After a restart it never runs again: the allocation fails. */
  readonly RestartFails: boolean;
  /** It ends as soon as it has run, as tasks that prepare others do; the allocation goes on. */
  readonly Ends: boolean;
  /** How long it takes to end when its allocation is stopped. */
  readonly StopMs: number;
  readonly User: string;
  readonly Leader: boolean;
  readonly Config: TextMap;
  readonly Env: TextMap;
  readonly Meta: TextMap;
  /** null: it uses none. */
  readonly SecretsStore: TextMap | null;
  /** Labels; there is a service for each. */
  readonly Ports: readonly string[];
}

/** A task as the API shows it: times in RFC 3339, the year 1 is never. */
export interface Task {
  readonly State: 'pending' | 'running' | 'dead';
  readonly Failed: boolean;
  readonly Restarts: number;
  readonly LastRestart: string;
  readonly StartedAt: string;
  readonly FinishedAt: string;
  readonly Events: readonly TaskEvent[];
}
/** By the task's name. */
export type TaskStates = Readonly<Record<string, Task>>;

/** It was asked to stop: first a replacement is placed, then its tasks end. */
export interface Stopping {
  readonly EvalID: string;
  readonly At: number;
  /** Its tasks may take their time. */
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
  /** The job as it was when this was placed; null: nobody described it. */
  readonly Job: JobRow | null;
  readonly TaskGroup: string;
  /** IDs; empty: it replaces none, and none replaces it. */
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
  /** Signals that its tasks received since it was placed. */
  readonly Signals: number;
  /** Index of the last change that was not its node's. */
  readonly AllocModifyIndex: number;
  readonly CreateTime: number;
  readonly ModifyTime: number;
}

/** Ended where it runs: until then it uses its volumes, whatever is wanted of it. */
export const hasEnded = ({ ClientStatus }: Pick<AllocationRow, 'ClientStatus'>): boolean =>
  ['complete', 'failed', 'lost'].includes(ClientStatus);

/** Ended on the server's or on the client's side; `unknown` is not (wire.md 2.3). */
export const isTerminal = (status: Pick<AllocationRow, 'DesiredStatus' | 'ClientStatus'>): boolean =>
  status.DesiredStatus !== 'run' || hasEnded(status);

export interface Claim {
  readonly NodeID: string;
}
/** Allocation ID → its claim. */
export type Claims = Readonly<Record<string, Claim>>;

export type MountOptions = { readonly FsType: string; readonly MountFlags: readonly string[] | null };

export type TopologyRequest = {
  readonly Required: readonly Topology[];
  readonly Preferred: readonly Topology[];
};

/** What may be said of a volume when it is registered or created. */
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
  /** Bytes; 0: not said. */
  readonly RequestedCapacityMin: number;
  readonly RequestedCapacityMax: number;
}

export interface VolumeRow extends VolumeSpec, Row {
  /** Never null once stored: what was left out is empty. */
  readonly MountOptions: MountOptions;
  /** Bytes, as the provider rounded them; 0: not known. */
  readonly Capacity: number;
  readonly Provider: string;
  readonly Version: string;
  /** How it is claimed now; empty while it is not. */
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

/** A disk at a storage provider: no row of the scheduler, but it has to outlive the process like one. */
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
  /** Allocations for which it is attached to a node. */
  readonly AttachedFor: readonly string[];
  /** Something is wrong with it; the status says what. */
  readonly IsAbnormal: boolean;
  readonly Status: string;
}

/** What may be said of a snapshot at a storage provider. */
export interface SnapshotSpec {
  readonly PluginID: string;
  readonly ID: string;
  /** Empty for a snapshot that was not made through the plugin. */
  readonly Name: string;
  /** External ID of the disk that it was cut from. */
  readonly SourceID: string;
  readonly SizeBytes: number;
  /** Unix seconds. */
  readonly CreateTime: number;
  /** Milliseconds since 1970; 0: it gets ready by no clock. */
  readonly ReadyAtMs: number;
  readonly IsReady: boolean;
  readonly Parameters: TextMap;
  /** Those that it was made with. */
  readonly Secrets: TextMap;
  /** The provider won't delete it. */
  readonly InUse: boolean;
}
export type SnapshotRow = SnapshotSpec & Row;

/** Keys of rows that have a namespace or belong to a plugin: sorts by the first part, then by the second. */
export const pairKey = (first: string, second: string): string => `${first}\0${second}`;
