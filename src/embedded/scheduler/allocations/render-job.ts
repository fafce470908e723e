// The parts that a single read of an allocation adds: job, resources and placement metrics (services.md#job-copies).
// Fields that no seed sets have Nomad's defaults.
import { killTimeoutNs } from './tasks.ts';
import { jobDefaults, type JobRow, type TaskGroup, type TaskSpec } from '../store/job.ts';
import type { AllocationRow } from '../store/model.ts';
import type { State } from '../state.ts';

const cpu = 100;
const memoryMB = 64;
const diskMB = 300;
const second = 1e9;
const portMin = 20_000;

const network = (labels: readonly string[]) => ({
  Device: 'lo',
  CIDR: '127.0.0.1/32',
  IP: '127.0.0.1',
  MBits: 0,
  ReservedPorts: null,
  DynamicPorts: labels.map((Label, at) => ({ Label, Value: portMin + at })),
});
const networks = (labels: readonly string[]) => (labels.length === 0 ? [] : [network(labels)]);

const ofTask = ({ Ports }: TaskSpec) => ({
  CPU: cpu,
  MemoryMB: memoryMB,
  DiskMB: 0,
  Networks: networks(Ports),
});

export const allocatedResources = ({ Tasks }: AllocationRow) => ({
  Tasks: Object.fromEntries(
    Tasks.map(({ Name, Ports }) => {
      const held = { Cpu: { CpuShares: cpu }, Memory: { MemoryMB: memoryMB, MemoryMaxMB: 0 } };
      return [Name, { ...held, Networks: networks(Ports), Devices: null }];
    }),
  ),
  Shared: { DiskMB: diskMB, Networks: null, Ports: null },
});

export const resources = ({ Tasks }: AllocationRow) => ({
  Resources: {
    CPU: cpu * Tasks.length,
    MemoryMB: memoryMB * Tasks.length,
    DiskMB: diskMB,
    Networks: networks(Tasks.flatMap(({ Ports }) => Ports)),
  },
  SharedResources: { CPU: 0, MemoryMB: 0, DiskMB: diskMB, Networks: [] },
  TaskResources: Object.fromEntries(Tasks.map((task) => [task.Name, ofTask(task)])),
});

export function metrics(state: State, { NodeID }: AllocationRow) {
  const available: Record<string, number> = {};
  for (const { Datacenter } of state.nodes.rows()) available[Datacenter] = (available[Datacenter] ?? 0) + 1;
  return {
    NodesEvaluated: state.nodes.size,
    NodesFiltered: 0,
    NodesAvailable: available,
    ClassFiltered: null,
    ConstraintFiltered: null,
    NodesExhausted: 0,
    ClassExhausted: null,
    DimensionExhausted: null,
    Scores: { [`${NodeID}.binpack`]: 0.5 },
    AllocationTime: 50_000,
    CoalescedFailures: 0,
  };
}

const unset = { Constraints: null, Affinities: null, Spreads: null };

/** @returns the job with the dialect's field names */
export function jobCopy({ dialect }: State, a: AllocationRow) {
  const job: Omit<JobRow, 'ID' | 'Namespace'> = a.Job ?? { ...jobDefaults, ...indexesOf(a) };
  const tokenField = dialect.fields['SecretsStoreToken'] ?? 'SecretsStoreToken';
  return {
    Region: 'global',
    Namespace: a.Namespace,
    ID: a.JobID,
    ParentID: job.ParentID,
    Name: a.JobID,
    Type: job.Type,
    Priority: job.Priority,
    AllAtOnce: false,
    Datacenters: job.Datacenters,
    ...unset,
    TaskGroups: groupsOf(a).map((one) => group(dialect.fields['SecretsStore'] ?? 'SecretsStore', a, one)),
    Update: { Stagger: 0, MaxParallel: 0 },
    Periodic: null,
    ParameterizedJob: null,
    Payload: job.Payload === '' ? null : Buffer.from(job.Payload).toString('base64'),
    Meta: a.Job?.Meta ?? null,
    [tokenField]: job.SecretsStoreToken,
    Status: job.Status,
    StatusDescription: '',
    CreateIndex: job.CreateIndex,
    ModifyIndex: job.ModifyIndex,
    JobModifyIndex: job.ModifyIndex,
  };
}

const indexesOf = ({ CreateIndex }: AllocationRow) => ({ CreateIndex, ModifyIndex: CreateIndex });

/** The registered groups. If the allocation's own group is not among them, it is added with a count of 1. */
function groupsOf({ Job, TaskGroup: Name, Tasks }: AllocationRow): readonly TaskGroup[] {
  const registered = Job?.TaskGroups ?? [];
  return registered.some((one) => one.Name === Name)
    ? registered
    : [...registered, { Name, Count: 1, Tasks }];
}

/** The allocation's own group shows the tasks of the allocation. */
const group = (storeField: string, a: AllocationRow, { Name, Count, Tasks }: TaskGroup) => ({
  Name,
  Count,
  ...unset,
  RestartPolicy: { Attempts: 2, Interval: 1800 * second, Delay: 15 * second, Mode: 'fail' },
  Tasks: (Name === a.TaskGroup ? a.Tasks : Tasks).map((spec) => task(storeField, `${a.JobID}-${Name}`, spec)),
  EphemeralDisk: { Sticky: false, SizeMB: diskMB, Migrate: false },
  Meta: null,
});

const task = (storeField: string, prefix: string, spec: TaskSpec) => ({
  Name: spec.Name,
  Driver: spec.Driver,
  User: spec.User,
  Config: spec.Config,
  Env: spec.Env,
  Services: spec.Ports.map((label) => service(prefix, label)),
  [storeField]: spec.SecretsStore,
  Templates: null,
  ...unset,
  Resources: ofTask(spec),
  DispatchPayload: null,
  Meta: spec.Meta,
  KillTimeout: killTimeoutNs,
  LogConfig: { MaxFiles: 10, MaxFileSizeMB: 10 },
  Artifacts: null,
  Leader: spec.Leader,
});

const service = (prefix: string, PortLabel: string) => ({
  Name: `${prefix}-${PortLabel}`,
  PortLabel,
  Tags: [],
  Checks: [
    {
      Name: 'alive',
      Type: 'tcp',
      Command: '',
      Args: null,
      Path: '',
      Protocol: '',
      PortLabel: '',
      Interval: 10 * second,
      Timeout: 2 * second,
      InitialStatus: '',
    },
  ],
});
