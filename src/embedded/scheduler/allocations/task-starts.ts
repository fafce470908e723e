// Starts each restarted task again after its delay, also if the process restarts meanwhile.
import type { TaskSpec } from '../store/job.ts';
import { isTerminal, type AllocationRow } from '../store/model.ts';
import type { State } from '../state.ts';
import { failedToRestart, started } from './tasks.ts';

export class TaskStarts {
  readonly #state: State;
  readonly #ended: (allocation: AllocationRow) => void;
  readonly #cancels = new Set<() => void>();

  /** @param ended called for each allocation that failed because a task did not start again */
  constructor(state: State, ended: (allocation: AllocationRow) => void) {
    this.#state = state;
    this.#ended = ended;
  }

  /** Resumes the restarts of the loaded state. */
  start(): void {
    for (const allocation of this.#state.allocations.rows()) this.consider(allocation);
  }

  /** Schedules the start of each restarted task of the allocation. */
  consider(allocation: AllocationRow): void {
    if (isTerminal(allocation)) return;
    for (const task of allocation.Tasks) {
      const now = allocation.TaskStates[task.Name];
      if (now?.State === 'pending' && now.Restarts > 0) this.#later(allocation.ID, task, now.LastRestart);
    }
  }

  #later(id: string, { Name, RestartMs }: TaskSpec, restartedAt: string): void {
    const { clock } = this.#state;
    const delayMs = Math.max(0, Date.parse(restartedAt) + RestartMs - clock.nowMs());
    const cancel = clock.after(delayMs, () => {
      this.#cancels.delete(cancel);
      this.#run(id, Name, restartedAt);
    });
    this.#cancels.add(cancel);
  }

  /** Does nothing if the task already runs, was restarted again, or is dead because its allocation ended. */
  #run(id: string, name: string, restartedAt: string): void {
    const state = this.#state;
    const old = state.allocations.get(id);
    const task = old?.TaskStates[name];
    if (!old || task?.State !== 'pending' || task.LastRestart !== restartedAt) return;
    const now = state.now();
    const spec = old.Tasks.find((one) => one.Name === name);
    const row: AllocationRow = spec?.RestartFails
      ? { ...old, ClientStatus: 'failed', TaskStates: failedToRestart(old.TaskStates, name, now) }
      : { ...old, TaskStates: { ...old.TaskStates, [name]: started(task, spec?.Ends ?? false, now) } };
    const put = state.store.put(state.allocations, id, (indexes) => ({
      ...row,
      ModifyTime: now,
      ...indexes,
    }));
    if (isTerminal(put)) this.#ended(put);
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
  }
}
