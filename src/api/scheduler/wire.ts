// The scheduler's shapes, as ../shared documents name them (spec: scheduler-api.md, "Resources and their fields";
// the further fields of volumes: wire.md 2.5). Dialects rename them at the edge, see ../dialects.ts.
import type { Sealed } from '../../core/secret.ts';
import type { JobCopy, Metrics, Resources } from './job-wire.ts';

export interface Capability {
  readonly AccessMode: string;
  readonly AttachmentMode: string;
}

export interface MountOptions {
  readonly FsType?: string;
  readonly MountFlags?: readonly string[] | null;
}

export type Topology = Readonly<Record<string, string>>;

export interface TopologyRequest {
  readonly Required?: readonly Topology[] | null;
  readonly Preferred?: readonly Topology[] | null;
}

/** Something that happened to a task. Which annotations it has depends on its type; services say them in `Details` too. */
export interface TaskEvent {
  /** E.g. `Started`, `Signaling`, `Restart Signaled`, `Restarting`, `Not Restarting`. */
  readonly Type: string;
  /** Unix nanoseconds, by the node's clock; a number holds them to within a microsecond. */
  readonly Time: number;
  readonly DisplayMessage?: string;
  /** E.g. `signal` of `Signaling`: its name as it was asked for; `restart_reason`. */
  readonly Details?: Readonly<Record<string, string>> | null;
  readonly FailsTask?: boolean;
  readonly RestartReason?: string;
  readonly SetupError?: string;
  readonly DriverError?: string;
  readonly ExitCode?: number;
  readonly Signal?: number;
  readonly Message?: string;
  /** Nanoseconds, as `StartDelay`. */
  readonly KillTimeout?: number;
  readonly KillError?: string;
  readonly KillReason?: string;
  readonly StartDelay?: number;
  readonly DownloadError?: string;
  readonly ValidationError?: string;
  readonly DiskLimit?: number;
  readonly FailedSibling?: string;
  readonly SecretsStoreError?: string;
  readonly TaskSignalReason?: string;
  readonly TaskSignal?: string;
  readonly DriverMessage?: string;
}

/** Times in RFC 3339; `0001-01-01T00:00:00Z`: never. */
export interface TaskState {
  /** pending, running, dead */
  readonly State?: string;
  readonly Failed?: boolean;
  readonly Restarts?: number;
  readonly LastRestart?: string | null;
  readonly StartedAt?: string | null;
  readonly FinishedAt?: string | null;
  /** The last ten, oldest first. */
  readonly Events?: readonly TaskEvent[] | null;
}

/** Attempts to run it again elsewhere. */
export interface RescheduleTracker {
  readonly Events?:
    | readonly {
        readonly PrevAllocID: string;
        readonly PrevNodeID: string;
        /** Unix nanoseconds. */
        readonly RescheduleTime: number;
        /** Nanoseconds: digits in the documents, a number elsewhere. */
        readonly Delay: string | number;
      }[]
    | null;
}

/** Entry of a list; a volume read carries part of it. Times in Unix nanoseconds. */
export interface AllocationStub {
  readonly ID: string;
  readonly EvalID?: string;
  readonly Namespace?: string;
  /** `job.group[index]` */
  readonly Name?: string;
  readonly JobID?: string;
  readonly JobVersion?: number;
  readonly TaskGroup?: string;
  readonly NodeID?: string;
  /** What it replaces; some services tell in a single read only. */
  readonly PreviousAllocation?: string;
  /** What replaces it. */
  readonly NextAllocation?: string;
  readonly RescheduleTracker?: RescheduleTracker | null;
  /** run, stop, evict */
  readonly DesiredStatus?: string;
  readonly DesiredDescription?: string;
  /** pending, running, complete, failed, lost, unknown */
  readonly ClientStatus?: string;
  readonly ClientDescription?: string;
  /** By the task's name; null where they were not asked for. */
  readonly TaskStates?: Readonly<Record<string, TaskState>> | null;
  /** Where it was asked for; the documents don't show its fields. */
  readonly AllocatedResources?: Readonly<Record<string, unknown>> | null;
  readonly CreateTime?: number;
  readonly ModifyTime?: number;
  readonly CreateIndex?: number;
  readonly ModifyIndex?: number;
}

/** A single read. What is empty may be missing altogether (wire.md 2.3). */
export interface AllocationRead extends AllocationStub {
  readonly Job?: JobCopy | null;
  readonly Resources?: Resources | null;
  readonly SharedResources?: Resources | null;
  /** By the task's name. */
  readonly TaskResources?: Readonly<Record<string, Resources>> | null;
  readonly Metrics?: Metrics | null;
  readonly AllocModifyIndex?: number;
}

/** The evaluation that finds its replacement a place. */
export interface StopReply {
  readonly EvalID?: string;
  readonly Index?: number;
}

/** Without a task: to all tasks of the allocation. */
export type SignalBody = { readonly Signal: string; readonly Task?: string };

/** Without a task: all that are running; with `AllTasks`: those that ended, too. Never both. */
export type RestartBody = { readonly Task?: string; readonly AllTasks?: boolean };

export interface VolumeStub {
  readonly ID: string;
  readonly Namespace: string;
  readonly Name: string;
  readonly ExternalID: string;
  readonly PluginID: string;
  readonly Provider?: string;
  /** Where it can be reached from. */
  readonly Topologies?: readonly Topology[] | null;
  /** How it is claimed now; empty while it is not. */
  readonly AccessMode?: string;
  readonly AttachmentMode?: string;
  readonly Schedulable?: boolean;
  /** 0 in the documents, a time elsewhere: since when its plugin has no room for it. */
  readonly ResourceExhausted?: number | string;
  readonly ControllerRequired?: boolean;
  readonly ControllersHealthy?: number;
  readonly ControllersExpected?: number;
  readonly NodesHealthy?: number;
  readonly NodesExpected?: number;
  readonly CurrentReaders?: number;
  readonly CurrentWriters?: number;
  readonly CreateIndex?: number;
  readonly ModifyIndex: number;
}

export interface VolumeRead extends VolumeStub {
  readonly RequestedCapabilities?: readonly Capability[] | null;
  readonly RequestedTopologies?: TopologyRequest | null;
  /** The plugin's. */
  readonly Version?: string;
  readonly MountOptions?: MountOptions | null;
  readonly Parameters?: Readonly<Record<string, string>> | null;
  /** Bytes as the provider rounded them. */
  readonly Capacity?: number;
  readonly RequestedCapacityMin?: number;
  readonly RequestedCapacityMax?: number;
  readonly SnapshotID?: string;
  /** CSI volume context. */
  readonly Context?: Readonly<Record<string, string>> | null;
  readonly Allocations?: readonly AllocationStub[] | null;
  readonly ReadAllocs?: Readonly<Record<string, AllocationStub | null>> | null;
  readonly WriteAllocs?: Readonly<Record<string, AllocationStub | null>> | null;
}

/** A volume as it is sent to create or register. Absent fields are not sent. */
export interface VolumeBody {
  readonly [field: string]: Sealed | undefined;
  readonly ID: string;
  readonly Name: string;
  readonly Namespace: string;
  readonly PluginID: string;
  /** What is registered; a create makes it. */
  readonly ExternalID?: string;
  readonly RequestedCapabilities?: readonly Sealed[];
  readonly MountOptions?: Sealed;
  /** Bytes. */
  readonly RequestedCapacityMin?: number | undefined;
  readonly RequestedCapacityMax?: number | undefined;
  readonly SnapshotID?: string;
  readonly Secrets?: Sealed;
  readonly Topologies?: readonly Sealed[];
}

/** A disk as its provider sees it, registered or not. */
export interface ExternalVolume {
  readonly ExternalID: string;
  readonly CapacityBytes?: number;
  readonly SnapshotID?: string;
  readonly CloneID?: string;
  readonly VolumeContext?: Readonly<Record<string, string>> | null;
  /** The provider's IDs of the nodes that it is attached to. */
  readonly PublishedExternalNodeIDs?: readonly string[] | null;
  readonly IsAbnormal?: boolean;
  /** The provider's words when it is abnormal. */
  readonly Status?: string;
}

/** A snapshot as it is sent to be made. Absent fields are not sent. */
export interface SnapshotBody {
  readonly [field: string]: Sealed | undefined;
  /** The scheduler's ID of a volume. */
  readonly SourceVolumeID: string;
  /** Default: the volume's. */
  readonly PluginID?: string;
  /** The same name and source find the same snapshot again. */
  readonly Name: string;
  readonly Secrets?: Readonly<Record<string, Sealed>>;
  readonly Parameters?: Readonly<Record<string, string>>;
}

interface Snapshot {
  readonly ID: string;
  readonly SizeBytes?: number;
  /** Unix seconds. */
  readonly CreateTime?: number;
  readonly IsReady?: boolean;
  /** The provider's ID of the disk that it was cut from. */
  readonly ExternalSourceVolumeID?: string;
}

/** Reply to a create. Dialects name the source by one of the two fields. */
export interface CreatedSnapshot extends Snapshot {
  readonly SourceVolumeID?: string;
}

/** Entry of a list. Its name is told nowhere. */
export interface SnapshotStub extends Snapshot {
  readonly PluginID?: string;
  readonly Parameters?: Readonly<Record<string, string>> | null;
}

export interface PluginStub {
  readonly ID: string;
  readonly Provider?: string;
  readonly ControllerRequired?: boolean;
  readonly ControllersHealthy?: number;
  readonly ControllersExpected?: number;
  readonly NodesHealthy?: number;
  readonly NodesExpected?: number;
  readonly CreateIndex?: number;
  readonly ModifyIndex?: number;
}

export interface NodeStub {
  readonly ID: string;
  readonly Name: string;
  readonly Status: string;
}

export interface JobStub {
  readonly ID: string;
  readonly Namespace: string;
  readonly Status: string;
}

/** Reply of GET /v1/agent/self, as far as it is used: the version. */
export interface AgentSelf {
  readonly member?: { readonly Tags?: Readonly<Record<string, string>> };
}
