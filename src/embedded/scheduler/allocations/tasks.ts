// The states and events of the tasks of an allocation (services.md#tasks-and-their-events).
import type { TaskEvent } from '../../../api/scheduler/wire.ts';
import type { TaskSpec } from '../store/job.ts';
import { hasEnded, type AllocationRow, type Task, type TaskStates } from '../store/model.ts';
import { event } from './task-events.ts';

type Status = Pick<AllocationRow, 'DesiredStatus' | 'ClientStatus'>;

const eventsMax = 10;
export const killTimeoutNs = 5e9;
export const zeroTime = '0001-01-01T00:00:00Z';
/** Rounded, because a number is not exact at nanoseconds and Date truncates to milliseconds. */
const timeOf = (unixNs: number): string => new Date(Math.round(unixNs / 1e6)).toISOString();

/** Adds the events, and drops the oldest ones. */
export const after = (task: Task, ...events: readonly TaskEvent[]): Task => ({
  ...task,
  Events: [...task.Events, ...events].slice(-eventsMax),
});

const terminated = (now: number, code: number): TaskEvent => event('Terminated', now, { ExitCode: code });

/** A task that is placed and has not started. `now`, here and below, is in Unix nanoseconds. */
const received = (now: number): Task => ({
  State: 'pending',
  Failed: false,
  Restarts: 0,
  LastRestart: zeroTime,
  StartedAt: zeroTime,
  FinishedAt: zeroTime,
  Events: [event('Received', now)],
});

/** The task as it runs, or dead if `ends`. */
export function started(task: Task, ends: boolean, now: number): Task {
  const running: Task = {
    ...after(task, event('Started', now)),
    State: 'running',
    StartedAt: timeOf(now),
  };
  return ends ? dead(after(running, terminated(now, 0)), now) : running;
}

const dead = (task: Task, now: number): Task => ({ ...task, State: 'dead', FinishedAt: timeOf(now) });

/** Nomad's client does not put the signal into the message (`SetSignalText`). */
export const signalled = (task: Task, signal: string, now: number): Task =>
  after(task, event('Signaling', now, {}, { signal }));

/** The task between its end and its next start. A dead task has already ended, so it gets no `Terminated` event. */
export function restarting(task: Task, reason: string, now: number): Task {
  const end = task.State === 'running' ? [terminated(now, 0)] : [];
  return {
    ...after(
      task,
      event('Restart Signaled', now, { RestartReason: reason }),
      ...end,
      event('Restarting', now, { StartDelay: 0 }),
    ),
    State: 'pending',
    Failed: false,
    FinishedAt: zeroTime,
    Restarts: task.Restarts + 1,
    LastRestart: timeOf(now),
  };
}

/** The task `failed` could not start again: it fails, and its siblings end with it. */
export const failedToRestart = (tasks: TaskStates, failed: string, now: number): TaskStates =>
  mapped(tasks, (task, name) => {
    if (name === failed) {
      const events = [
        event('Driver Failure', now),
        event('Not Restarting', now, { RestartReason: 'Error was unrecoverable' }),
      ];
      return { ...dead(after(task, ...events), now), Failed: true };
    }
    if (task.State === 'dead') return task;
    return dead(after(task, event('Sibling Task Failed', now, { FailedSibling: failed })), now);
  });

export function placed(specs: readonly TaskSpec[], status: Status, now: number): TaskStates {
  const tasks = Object.fromEntries(specs.map(({ Name }) => [Name, received(now)]));
  if (status.ClientStatus === 'pending') return tasks;
  const ran = allStarted(tasks, specs, now);
  return hasEnded(status) ? ended(ran, status, now) : ran;
}

/**
 * The tasks after a new status of their allocation. A restarting task keeps restarting. The running tasks of an
 * allocation that should stop keep running until its node reports the end.
 */
export function followed(
  { TaskStates: tasks, Tasks, ...from }: Pick<AllocationRow, 'TaskStates' | 'Tasks' | keyof Status>,
  to: Status,
  now: number,
): TaskStates {
  if (hasEnded(to)) return hasEnded(from) ? tasks : ended(tasks, to, now);
  if (to.DesiredStatus !== 'run') return from.DesiredStatus === 'run' ? killing(tasks, now) : tasks;
  const starts = from.ClientStatus === 'pending' && to.ClientStatus !== 'pending';
  return starts ? allStarted(tasks, Tasks, now) : tasks;
}

/** Running tasks get the event `Killing` and keep running for now; pending tasks are killed. */
export const killing = (tasks: TaskStates, now: number): TaskStates =>
  mapped(tasks, (task) => {
    if (task.State === 'running') return after(task, event('Killing', now, { KillTimeout: killTimeoutNs }));
    return task.State === 'pending' ? dead(after(task, event('Killed', now)), now) : task;
  });

/** The allocation could not be set up: all its tasks have failed. */
export const failedToSetUp = (tasks: TaskStates, SetupError: string, now: number): TaskStates =>
  mapped(tasks, (task) => ({
    ...dead(after(task, event('Setup Failure', now, { FailsTask: true, SetupError })), now),
    Failed: true,
  }));

const allStarted = (tasks: TaskStates, specs: readonly TaskSpec[], now: number): TaskStates =>
  mapped(tasks, (task, name) => {
    const spec = specs.find((one) => one.Name === name);
    return spec?.Poststop ? task : started(task, spec?.Ends ?? false, now);
  });

function ended(tasks: TaskStates, { DesiredStatus, ClientStatus }: Status, now: number): TaskStates {
  const Failed = ClientStatus === 'failed';
  const last = (task: Task): readonly TaskEvent[] => {
    if (DesiredStatus === 'run') return [terminated(now, Failed ? 1 : 0)];
    return [...(task.State === 'running' ? [terminated(now, 0)] : []), event('Killed', now)];
  };
  return mapped(tasks, (task) =>
    task.State === 'dead' ? task : { ...dead(after(task, ...last(task)), now), Failed },
  );
}

const mapped = (tasks: TaskStates, change: (task: Task, name: string) => Task): TaskStates =>
  Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, change(task, name)]));
