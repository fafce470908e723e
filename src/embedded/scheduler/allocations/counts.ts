// How often tasks were signalled and restarted since their allocation was placed: what "exactly one signal" is counted by.
import type { AllocationRow } from '../store/model.ts';
import type { State } from '../state.ts';

export interface Tally {
  /** One for each task that received one. */
  readonly signals: number;
  /** One for each task. */
  readonly restarts: number;
}

export interface Tallies {
  /** By the allocation's ID. */
  readonly allocations: Readonly<Record<string, Tally>>;
  /** By `namespace/job`. */
  readonly jobs: Readonly<Record<string, Tally>>;
}

/** Outlives the process with the state, and is never reset. */
export function talliesOf(state: State): Tallies {
  const allocations: Record<string, Tally> = {};
  const jobs: Record<string, Tally> = {};
  for (const allocation of state.allocations.rows()) {
    const job = `${allocation.Namespace}/${allocation.JobID}`;
    const { signals, restarts } = (allocations[allocation.ID] = tallyOf(allocation));
    const sum = jobs[job] ?? { signals: 0, restarts: 0 };
    jobs[job] = { signals: sum.signals + signals, restarts: sum.restarts + restarts };
  }
  return { allocations, jobs };
}

const tallyOf = ({ Signals, TaskStates }: AllocationRow): Tally => ({
  signals: Signals,
  restarts: Object.values(TaskStates).reduce((sum, task) => sum + task.Restarts, 0),
});
