// Allocations as the API shows them (scheduler-api.md, "Allocation"; wire.md 2.3). Their one task follows the allocation.
import { isTerminal, type AllocationRow } from './model.ts';
import type { State } from './state.ts';

const zeroTime = '0001-01-01T00:00:00Z';

const taskState = (
  status: AllocationRow['ClientStatus'],
  terminal: boolean,
): 'pending' | 'running' | 'dead' => (terminal ? 'dead' : status === 'pending' ? 'pending' : 'running');

const at = (unixNs: number): string => new Date(unixNs / 1e6).toISOString();

function taskStates(a: AllocationRow) {
  const state = taskState(a.ClientStatus, isTerminal(a));
  return {
    main: {
      State: state,
      Failed: a.ClientStatus === 'failed',
      StartedAt: state === 'pending' ? zeroTime : at(a.CreateTime),
      FinishedAt: state === 'dead' ? at(a.ModifyTime) : zeroTime,
      LastRestart: zeroTime,
      Restarts: 0,
      Events: [],
    },
  };
}

const resources = {
  Tasks: { main: { Cpu: { CpuShares: 100 }, Memory: { MemoryMB: 64 } } },
  Shared: { DiskMB: 300 },
};

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
  TaskGroup: a.TaskGroup,
  DesiredStatus: a.DesiredStatus,
  DesiredDescription: '',
  ClientStatus: a.ClientStatus,
  ClientDescription: '',
  TaskStates: show.taskStates === false ? null : taskStates(a),
  ...(show.resources === true && { AllocatedResources: resources }),
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
    TaskGroups: [{ Name: a.TaskGroup, Count: 1, Tasks: [{ Name: 'main', Driver: 'exec' }] }],
  },
  AllocModifyIndex: a.ModifyIndex,
});
