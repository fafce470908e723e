// A node in an event (services.md#nodes). Any field may be missing.
type TextMap = Readonly<Record<string, string>> | null;
type Unshown = unknown;

export interface NodeNetwork {
  readonly Mode?: string;
  readonly Device?: string;
  readonly CIDR?: string;
  readonly IP?: string;
  readonly MBits?: number;
  readonly DNS?: Unshown;
  readonly ReservedPorts?: Unshown;
  readonly DynamicPorts?: Unshown;
}

export interface NodeAddress {
  readonly Family?: string;
  readonly Alias?: string;
  readonly Address?: string;
  readonly ReservedPorts?: string;
  readonly Gateway?: string;
}

export interface HostNetwork {
  readonly Mode?: string;
  readonly Device?: string;
  readonly MacAddress?: string;
  readonly Speed?: number;
  readonly Addresses?: readonly NodeAddress[] | null;
}

export interface NodeResources {
  readonly Cpu?: { readonly CpuShares?: number };
  readonly Memory?: { readonly MemoryMB?: number };
  readonly Disk?: { readonly DiskMB?: number };
  readonly Networks?: readonly NodeNetwork[] | null;
  readonly NodeNetworks?: readonly HostNetwork[] | null;
  readonly Devices?: Unshown;
}

export interface NodeEvent {
  readonly Message?: string;
  readonly Subsystem?: string;
  readonly Details?: TextMap;
  readonly Timestamp?: string;
  readonly CreateIndex?: number;
}

export interface NodeDriver {
  readonly Attributes?: TextMap;
  readonly Detected?: boolean;
  readonly Healthy?: boolean;
  readonly HealthDescription?: string;
  readonly UpdateTime?: string;
}

export interface NodeRead {
  readonly ID: string;
  readonly Datacenter?: string;
  readonly Name?: string;
  readonly HTTPAddr?: string;
  readonly TLSEnabled?: boolean;
  readonly Attributes?: TextMap;
  readonly NodeResources?: NodeResources | null;
  readonly ReservedResources?: Unshown;
  readonly Resources?: Unshown;
  readonly Reserved?: Unshown;
  readonly Links?: Unshown;
  readonly Meta?: TextMap;
  readonly NodeClass?: string;
  readonly ComputedClass?: string;
  readonly Drain?: boolean;
  readonly DrainStrategy?: Unshown;
  /** eligible, ineligible */
  readonly SchedulingEligibility?: string;
  /** initializing, ready, down */
  readonly Status?: string;
  readonly StatusDescription?: string;
  /** Unix seconds. */
  readonly StatusUpdatedAt?: number;
  readonly Events?: readonly NodeEvent[] | null;
  /** By driver name. */
  readonly Drivers?: Readonly<Record<string, NodeDriver>> | null;
  readonly CSIControllerPlugins?: Unshown;
  readonly CSINodePlugins?: Unshown;
  readonly HostVolumes?: Unshown;
  readonly CreateIndex?: number;
  readonly ModifyIndex?: number;
}
