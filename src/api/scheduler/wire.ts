// The scheduler's bodies, with the field names of the dialect `cluster` (services.md#scheduler-fields). The client
// renames fields for other dialects (../dialects.ts).
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

/** An event of a task. Its fields depend on its type; services repeat them in `Details`. */
export interface TaskEvent {
  /** E.g. `Started`, `Signaling`, `Restart Signaled`, `Restarting`, `Not Restarting`. */
  readonly Type: string;
  /** Unix nanoseconds by the node's clock; a JavaScript number is exact to within a microsecond. */
  readonly Time: number;
  readonly DisplayMessage?: string;
  /** E.g. `restart_reason`, or for `Signaling` the requested `signal`. */
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
  readonly Events?: readonly TaskEvent[] | null;
}

export interface RescheduleTracker {
  readonly Events?:
    | readonly {
        readonly PrevAllocID: string;
        readonly PrevNodeID: string;
        /** Unix nanoseconds. */
        readonly RescheduleTime: number;
        /** Nanoseconds: digits in `cluster`, a number in `nomad`. */
        readonly Delay: string | number;
      }[]
    | null;
}

/** An entry of a list; a volume read holds some of its fields. Times in Unix nanoseconds. */
export interface AllocationStub {
  readonly ID: string;
  readonly EvalID?: string;
  readonly Namespace?: string;
  readonly Name?: string;
  readonly JobID?: string;
  readonly JobVersion?: number;
  readonly TaskGroup?: string;
  readonly NodeID?: string;
  /** The allocation that this one replaces; some services return it in a single read only. */
  readonly PreviousAllocation?: string;
  readonly NextAllocation?: string;
  readonly RescheduleTracker?: RescheduleTracker | null;
  /** run, stop, evict */
  readonly DesiredStatus?: string;
  readonly DesiredDescription?: string;
  /** pending, running, complete, failed, lost, unknown */
  readonly ClientStatus?: string;
  readonly ClientDescription?: string;
  /** By task name; null if not requested. */
  readonly TaskStates?: Readonly<Record<string, TaskState>> | null;
  /** Only if requested; its fields are not documented. */
  readonly AllocatedResources?: Readonly<Record<string, unknown>> | null;
  readonly CreateTime?: number;
  readonly ModifyTime?: number;
  readonly CreateIndex?: number;
  readonly ModifyIndex?: number;
}

/** The answer of a single read. Empty fields may be missing (services.md#allocations). */
export interface AllocationRead extends AllocationStub {
  readonly Job?: JobCopy | null;
  readonly Resources?: Resources | null;
  readonly SharedResources?: Resources | null;
  readonly TaskResources?: Readonly<Record<string, Resources>> | null;
  readonly Metrics?: Metrics | null;
  readonly AllocModifyIndex?: number;
}

/** Names the evaluation that places the replacement. */
export interface StopReply {
  readonly EvalID?: string;
  readonly Index?: number;
}

/** Without `Task`: all tasks of the allocation. */
export type SignalBody = { readonly Signal: string; readonly Task?: string };

/** Without `Task`: all running tasks; with `AllTasks`, ended ones too. Never both fields. */
export type RestartBody = { readonly Task?: string; readonly AllTasks?: boolean };

export interface VolumeStub {
  readonly ID: string;
  readonly Namespace: string;
  readonly Name: string;
  readonly ExternalID: string;
  readonly PluginID: string;
  readonly Provider?: string;
  /** From where the volume can be reached. */
  readonly Topologies?: readonly Topology[] | null;
  /** Access mode of the current claim; empty without a claim. */
  readonly AccessMode?: string;
  readonly AttachmentMode?: string;
  readonly Schedulable?: boolean;
  /** Since when the plugin has no room for the volume: a number in `cluster`, 0 if it has; a time in `nomad`. */
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
  readonly Version?: string;
  readonly MountOptions?: MountOptions | null;
  readonly Parameters?: Readonly<Record<string, string>> | null;
  /** Bytes, rounded by the provider. */
  readonly Capacity?: number;
  readonly RequestedCapacityMin?: number;
  readonly RequestedCapacityMax?: number;
  readonly SnapshotID?: string;
  readonly Context?: Readonly<Record<string, string>> | null;
  readonly Allocations?: readonly AllocationStub[] | null;
  readonly ReadAllocs?: Readonly<Record<string, AllocationStub | null>> | null;
  readonly WriteAllocs?: Readonly<Record<string, AllocationStub | null>> | null;
}

/** A volume to create or register. Absent fields are not sent. */
export interface VolumeBody {
  readonly [field: string]: Sealed | undefined;
  readonly ID: string;
  readonly Name: string;
  readonly Namespace: string;
  readonly PluginID: string;
  /** The disk to register; a create makes a new disk. */
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

export interface ExternalVolume {
  readonly ExternalID: string;
  readonly CapacityBytes?: number;
  readonly SnapshotID?: string;
  readonly CloneID?: string;
  readonly VolumeContext?: Readonly<Record<string, string>> | null;
  /** The provider's IDs of the nodes that the disk is attached to. */
  readonly PublishedExternalNodeIDs?: readonly string[] | null;
  readonly IsAbnormal?: boolean;
  /** The provider's text for an abnormal disk. */
  readonly Status?: string;
}

/** A snapshot to create. Absent fields are not sent. */
export interface SnapshotBody {
  readonly [field: string]: Sealed | undefined;
  /** The scheduler's ID of the volume. */
  readonly SourceVolumeID: string;
  /** Default: the volume's plugin. */
  readonly PluginID?: string;
  /** A second create with the same name and source returns the same snapshot. */
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
  /** The provider's ID of the source disk. */
  readonly ExternalSourceVolumeID?: string;
}

/** An entry of the answer to a create. The dialect decides which of the two fields holds the source. */
export interface CreatedSnapshot extends Snapshot {
  readonly SourceVolumeID?: string;
}

/** An entry of a list. Lists omit the snapshot's name. */
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

/** GET /v1/agent/self, the fields in use: the version is a tag. */
export interface AgentSelf {
  readonly member?: { readonly Tags?: Readonly<Record<string, string>> };
}
