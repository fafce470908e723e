// The scheduler's shapes, as ../shared documents name them (spec: scheduler-api.md, "Resources and their fields";
// the further fields of volumes: wire.md 2.5). Dialects rename them at the edge, see ../dialects.ts.
import type { Sealed } from '../../core/secret.ts';

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

/** The part of an allocation that a volume read carries. Times in Unix nanoseconds. */
export interface AllocationStub {
  readonly ID: string;
  readonly JobID?: string;
  readonly TaskGroup?: string;
  readonly NodeID?: string;
  /** run, stop, evict */
  readonly DesiredStatus?: string;
  /** pending, running, complete, failed, lost, unknown */
  readonly ClientStatus?: string;
  readonly ModifyTime?: number;
}

export interface VolumeStub {
  readonly ID: string;
  readonly Namespace: string;
  readonly Name: string;
  readonly ExternalID: string;
  readonly PluginID: string;
  readonly Schedulable?: boolean;
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
  readonly Topologies?: readonly Topology[] | null;
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
