// The copy of a job in an allocation, with the field names of `cluster` (services.md#job-copies). Decoding boxes its
// secrets. Durations in nanoseconds. Any field may be missing.
import type { Secret } from '../../core/secret.ts';

type Texts = readonly string[] | null;
type TextMap = Readonly<Record<string, string>> | null;
type Unshown = readonly unknown[] | null;

export interface Port {
  readonly Label: string;
  readonly Value: number;
}

export interface Network {
  readonly Device?: string;
  readonly CIDR?: string;
  readonly IP?: string;
  readonly MBits?: number;
  readonly ReservedPorts?: readonly Port[] | null;
  readonly DynamicPorts?: readonly Port[] | null;
}

export interface Resources {
  readonly CPU?: number;
  readonly MemoryMB?: number;
  readonly DiskMB?: number;
  readonly Networks?: readonly Network[] | null;
}

export interface Check {
  readonly Name?: string;
  readonly Type?: string;
  readonly Command?: string;
  readonly Args?: Texts;
  readonly Path?: string;
  readonly Protocol?: string;
  readonly PortLabel?: string;
  readonly Interval?: number;
  readonly Timeout?: number;
  readonly InitialStatus?: string;
}

export interface Service {
  readonly Name?: string;
  readonly PortLabel?: string;
  readonly Tags?: Texts;
  readonly Checks?: readonly Check[] | null;
}

export interface JobTask {
  readonly Name: string;
  readonly Driver?: string;
  readonly User?: string;
  readonly Config?: Readonly<Record<string, unknown>> | null;
  readonly Env?: Readonly<Record<string, Secret>> | null;
  readonly Services?: readonly Service[] | null;
  readonly SecretsStore?: Readonly<Record<string, unknown>> | null;
  readonly Templates?: Unshown;
  readonly Constraints?: Unshown;
  readonly Affinities?: Unshown;
  readonly Resources?: Resources | null;
  readonly Spreads?: Unshown;
  readonly DispatchPayload?: Readonly<Record<string, unknown>> | null;
  readonly Meta?: TextMap;
  readonly KillTimeout?: number;
  readonly LogConfig?: { readonly MaxFiles?: number; readonly MaxFileSizeMB?: number } | null;
  readonly Artifacts?: Unshown;
  readonly Leader?: boolean;
}

export interface JobGroup {
  readonly Name: string;
  readonly Count?: number;
  readonly Constraints?: Unshown;
  readonly Affinities?: Unshown;
  readonly RestartPolicy?: {
    readonly Attempts?: number;
    readonly Interval?: number;
    readonly Delay?: number;
    readonly Mode?: string;
  } | null;
  readonly Spreads?: Unshown;
  readonly Tasks?: readonly JobTask[] | null;
  readonly EphemeralDisk?: {
    readonly Sticky?: boolean;
    readonly SizeMB?: number;
    readonly Migrate?: boolean;
  } | null;
  readonly Meta?: TextMap;
}

/** The job at the placement or last update of the allocation: its status may be outdated. */
export interface JobCopy {
  readonly Region?: string;
  readonly ID: string;
  readonly ParentID?: string;
  readonly Name?: string;
  readonly Type?: string;
  readonly Priority?: number;
  readonly AllAtOnce?: boolean;
  readonly Datacenters?: Texts;
  readonly Constraints?: Unshown;
  readonly Affinities?: Unshown;
  readonly TaskGroups?: readonly JobGroup[] | null;
  readonly Update?: { readonly Stagger?: number; readonly MaxParallel?: number } | null;
  readonly Periodic?: Readonly<Record<string, unknown>> | null;
  readonly ParameterizedJob?: Readonly<Record<string, unknown>> | null;
  readonly Payload?: Secret | null;
  readonly Spreads?: Unshown;
  readonly Meta?: TextMap;
  readonly SecretsStoreToken?: Secret | null;
  readonly Status?: string;
  readonly StatusDescription?: string;
  readonly CreateIndex?: number;
  readonly ModifyIndex?: number;
  readonly JobModifyIndex?: number;
}

type Counts = Readonly<Record<string, number>> | null;

export interface Metrics {
  readonly NodesEvaluated?: number;
  readonly NodesFiltered?: number;
  readonly NodesAvailable?: Counts;
  readonly ClassFiltered?: Counts;
  readonly ConstraintFiltered?: Counts;
  readonly NodesExhausted?: number;
  readonly ClassExhausted?: Counts;
  readonly DimensionExhausted?: Counts;
  readonly Scores?: Counts;
  readonly AllocationTime?: number;
  readonly CoalescedFailures?: number;
}
