// Allocations as the API shows them (services.md#allocations).
import { allocatedResources, jobCopy, metrics, resources } from './render-job.ts';
import type { AllocationRow, Task } from '../store/model.ts';
import type { State } from '../state.ts';
import { eventView } from './task-events.ts';
import { zeroTime } from './tasks.ts';

export interface StubOptions {
  readonly taskStates?: boolean;
  readonly resources?: boolean;
}

export const allocationStub = (state: State, a: AllocationRow, show: StubOptions = {}) => ({
  ...entry(state, a, show.taskStates !== false),
  ...(state.behaviour.listsAsDocumented
    ? { PreviousAllocation: a.PreviousAllocation }
    : { AllocatedResources: null }),
  ...(show.resources === true && { AllocatedResources: allocatedResources(a) }),
});

const descriptions: Readonly<Record<AllocationRow['ClientStatus'], string>> = {
  pending: 'No tasks have started',
  running: 'Tasks are running',
  complete: 'All tasks have completed',
  failed: 'Failed tasks',
  lost: '',
  unknown: '',
};

export function allocationRead(state: State, a: AllocationRow): object {
  const shown = {
    ...entry(state, a, true),
    PreviousAllocation: a.PreviousAllocation,
    Job: jobCopy(state, a),
    ...resources(a),
    Metrics: metrics(state, a),
    AllocModifyIndex: a.AllocModifyIndex,
  };
  return state.behaviour.leavesOutEmpty ? withoutEmpty(shown) : shown;
}

const entry = (state: State, a: AllocationRow, taskStates: boolean) => ({
  ID: a.ID,
  EvalID: a.EvalID,
  Name: a.Name,
  Namespace: a.Namespace,
  NodeID: a.NodeID,
  NodeName: state.nodes.get(a.NodeID)?.Name ?? '',
  NextAllocation: a.NextAllocation,
  RescheduleTracker: tracker(state, a),
  JobID: a.JobID,
  JobType: a.Job?.Type ?? 'service',
  JobVersion: 0,
  TaskGroup: a.TaskGroup,
  DesiredStatus: a.DesiredStatus,
  DesiredDescription: a.DesiredDescription,
  DesiredTransition: a.Stopping === null ? {} : { Migrate: true, NoShutdownDelay: !a.Stopping.Gently },
  ClientStatus: a.ClientStatus,
  ClientDescription: a.ClientDescription || descriptions[a.ClientStatus],
  TaskStates: taskStates ? tasks(state, a) : null,
  CreateIndex: a.CreateIndex,
  ModifyIndex: a.ModifyIndex,
  CreateTime: a.CreateTime,
  ModifyTime: a.ModifyTime,
});

function tracker({ dialect }: State, { Rescheduled }: AllocationRow) {
  if (Rescheduled.length === 0) return null;
  const digits = dialect.rescheduleDelay === 'digits';
  return {
    Events: Rescheduled.map(({ Delay, ...rest }) => ({ ...rest, Delay: digits ? String(Delay) : Delay })),
  };
}

const tasks = (state: State, { TaskStates }: AllocationRow) =>
  Object.fromEntries(
    Object.entries(TaskStates).map(([name, task]: [string, Task]) => [
      name,
      {
        ...task,
        LastRestart: time(state, task.LastRestart),
        StartedAt: time(state, task.StartedAt),
        FinishedAt: time(state, task.FinishedAt),
        Events: task.Events.map((one) => eventView(state.dialect, one)),
      },
    ]),
  );

const time = ({ behaviour }: State, text: string): string | null =>
  behaviour.neverIsNull && text === zeroTime ? null : text;

const withoutEmpty = (shown: object): object =>
  Object.fromEntries(
    Object.entries(shown).filter(([, held]) => held !== '' && held !== 0 && held !== null && held !== false),
  );
