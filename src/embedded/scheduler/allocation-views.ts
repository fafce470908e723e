// Allocations as the API shows them (scheduler-api.md, "Allocation"; wire.md 2.3).
import type { AllocationRow } from './model.ts';
import type { State } from './state.ts';

const resources = ({ Tasks }: AllocationRow) => ({
  Tasks: Object.fromEntries(
    Tasks.map(({ Name }) => [Name, { Cpu: { CpuShares: 100 }, Memory: { MemoryMB: 64 } }]),
  ),
  Shared: { DiskMB: 300 },
});

export interface StubOptions {
  readonly taskStates?: boolean;
  readonly resources?: boolean;
}

/** Entry of a list. */
export const allocationStub = (state: State, a: AllocationRow, show: StubOptions = {}) => ({
  ID: a.ID,
  EvalID: a.EvalID,
  Name: a.Name,
  Namespace: a.Namespace,
  NodeID: a.NodeID,
  NodeName: state.nodes.get(a.NodeID)?.Name ?? '',
  JobID: a.JobID,
  JobType: 'service',
  JobVersion: 0,
  TaskGroup: a.TaskGroup,
  DesiredStatus: a.DesiredStatus,
  DesiredDescription: '',
  ClientStatus: a.ClientStatus,
  ClientDescription: '',
  TaskStates: show.taskStates === false ? null : a.TaskStates,
  ...(show.resources === true && { AllocatedResources: resources(a) }),
  CreateIndex: a.CreateIndex,
  ModifyIndex: a.ModifyIndex,
  CreateTime: a.CreateTime,
  ModifyTime: a.ModifyTime,
});

/** Single read: with the part of the job's copy that is known here. */
export const allocationRead = (state: State, a: AllocationRow) => ({
  ...allocationStub(state, a),
  Job: {
    Region: 'global',
    ID: a.JobID,
    Name: a.JobID,
    Namespace: a.Namespace,
    Type: 'service',
    TaskGroups: [
      { Name: a.TaskGroup, Count: 1, Tasks: a.Tasks.map(({ Name, Driver }) => ({ Name, Driver })) },
    ],
  },
  AllocModifyIndex: a.ModifyIndex,
});
