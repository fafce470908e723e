// Counts signals and restarts per allocation and job, and commands per allocation, for tests that expect exactly one.
import type { AllocationRow } from '../store/model.ts';
import type { Executed, State } from '../state.ts';

export interface Tally {
  /** One per task that received the signal. */
  readonly signals: number;
  readonly restarts: number;
}

export interface Tallies {
  readonly allocations: Readonly<Record<string, Tally>>;
  readonly jobs: Readonly<Record<string, Tally>>;
  /** By allocation, since the process started. */
  readonly commands: Readonly<Record<string, number>>;
  /** The last thousand commands, in order. */
  readonly executed: readonly Executed[];
}

/** Signals and restarts are stored with the state, commands are not. A reset of the counters keeps all of them. */
export function talliesOf(state: State): Tallies {
  const allocations: Record<string, Tally> = {};
  const jobs: Record<string, Tally> = {};
  for (const allocation of state.allocations.rows()) {
    const job = `${allocation.Namespace}/${allocation.JobID}`;
    const { signals, restarts } = (allocations[allocation.ID] = tallyOf(allocation));
    const sum = jobs[job] ?? { signals: 0, restarts: 0 };
    jobs[job] = { signals: sum.signals + signals, restarts: sum.restarts + restarts };
  }
  return { allocations, jobs, commands: Object.fromEntries(state.commands), executed: [...state.executed] };
}

const tallyOf = ({ Signals, TaskStates }: AllocationRow): Tally => ({
  signals: Signals,
  restarts: Object.values(TaskStates).reduce((sum, task) => sum + task.Restarts, 0),
});
