// The types of the clients that rows may name. After a dot: what that field of the type holds.
import type { StreamEvent, Subscription } from '../../src/api/scheduler/events.ts';
import type * as job from '../../src/api/scheduler/job-wire.ts';
import type * as node from '../../src/api/scheduler/node-wire.ts';
import type * as wire from '../../src/api/scheduler/wire.ts';

type Of<T, K extends keyof T> = NonNullable<T[K]> extends readonly (infer One)[] ? One : NonNullable<T[K]>;

export interface WireTypes {
  AllocationStub: wire.AllocationStub;
  'RescheduleTracker.Events': Of<wire.RescheduleTracker, 'Events'>;
  RescheduleTracker: wire.RescheduleTracker;
  AllocationRead: wire.AllocationRead;
  Metrics: job.Metrics;
  Resources: job.Resources;
  Network: job.Network;
  Port: job.Port;
  JobCopy: job.JobCopy;
  'JobCopy.Update': Of<job.JobCopy, 'Update'>;
  JobGroup: job.JobGroup;
  'JobGroup.RestartPolicy': Of<job.JobGroup, 'RestartPolicy'>;
  'JobGroup.EphemeralDisk': Of<job.JobGroup, 'EphemeralDisk'>;
  JobTask: job.JobTask;
  'JobTask.LogConfig': Of<job.JobTask, 'LogConfig'>;
  Service: job.Service;
  Check: job.Check;
  TaskState: wire.TaskState;
  TaskEvent: wire.TaskEvent;
  StopReply: wire.StopReply;
  SignalBody: wire.SignalBody;
  RestartBody: wire.RestartBody;
  VolumeStub: wire.VolumeStub;
  VolumeRead: wire.VolumeRead;
  VolumeBody: wire.VolumeBody;
  Capability: wire.Capability;
  MountOptions: wire.MountOptions;
  ExternalVolume: wire.ExternalVolume;
  SnapshotBody: wire.SnapshotBody;
  CreatedSnapshot: wire.CreatedSnapshot;
  SnapshotStub: wire.SnapshotStub;
  StreamEvent: StreamEvent;
  Subscription: Subscription;
  NodeRead: node.NodeRead;
  NodeResources: node.NodeResources;
  'NodeResources.Cpu': Of<node.NodeResources, 'Cpu'>;
  'NodeResources.Memory': Of<node.NodeResources, 'Memory'>;
  'NodeResources.Disk': Of<node.NodeResources, 'Disk'>;
  NodeNetwork: node.NodeNetwork;
  HostNetwork: node.HostNetwork;
  NodeAddress: node.NodeAddress;
  NodeEvent: node.NodeEvent;
  NodeDriver: node.NodeDriver;
}
