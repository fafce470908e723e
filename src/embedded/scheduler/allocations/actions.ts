// Signals the tasks of an allocation, and restarts them in place (services.md#signals-and-restarts).
import { constants } from 'node:os';
import { Fields } from '../../http/decode.ts';
import { Refusal, json, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import { wholeUuid } from '../../http/query.ts';
import { multiError, quoted } from '../../http/error-texts.ts';
import { lookup } from './reads.ts';
import { served } from '../http/endpoints.ts';
import { isTerminal, type AllocationRow, type Task, type TaskStates } from '../store/model.ts';
import type { State } from '../state.ts';
import type { TaskStarts } from './task-starts.ts';
import { restarting, signalled } from './tasks.ts';

const notRunning = 'Task not running';

export function allocationActions(state: State, starts: TaskStarts): readonly Endpoint[] {
  const signals = served('allocation.signal', (request) => signal(state, request));
  const restarts = served('allocation.restart', (request) => restart(state, starts, request));
  const ways = state.behaviour.restartMethods.map((method) => ({ ...restarts, method }));
  return [signals, { ...signals, method: 'PUT' }, ...ways];
}

const done = (state: State): Reply => json(state.behaviour.answersActionsWithIndex ? { Index: 0 } : {});

/** The allocation, if its node can be reached. @throws Refusal 404, 500 */
function reached(state: State, request: Incoming): AllocationRow {
  const id = wholeUuid(request.params['id'] ?? '', lookup, state.behaviour.malformed);
  const allocation = state.allocations.get(id);
  if (!allocation) throw new Refusal(404, `Unknown allocation ${quoted(id)}`);
  if (state.nodes.get(allocation.NodeID)?.Status === 'down') throw new Refusal(404, 'No path to node');
  return allocation;
}

function signal(state: State, request: Incoming): Reply {
  const { Signal, Task } = decoded(400, () => {
    const f = new Fields(request.json(), '', state.behaviour.namesAreExact);
    return { Signal: f.text('Signal', ''), Task: f.text('Task', '') };
  });
  if (state.behaviour.checksSignals && !isSignal(Signal)) {
    throw new Refusal(400, Signal === '' ? 'Signal is required' : `invalid signal ${quoted(Signal)}`);
  }
  const allocation = reached(state, request);
  const { TaskStates } = allocation;
  if (Task !== '' && !Object.hasOwn(TaskStates, Task)) throw new Refusal(500, 'Task not found');
  const names = Task === '' ? Object.keys(TaskStates) : [Task];
  const running = names.filter((name) => TaskStates[name]?.State === 'running');
  const now = state.now();
  const problems = names.flatMap((name): readonly (readonly [string, string])[] => {
    const problem = running.includes(name) ? objection(allocation, name, Signal) : notRunning;
    return problem === undefined ? [] : [[name, problem]];
  });
  // A driver rejects a signal only after the event is written.
  if (running.length > 0) {
    put(state, {
      ...allocation,
      TaskStates: changed(TaskStates, running, (task) => signalled(task, Signal, now)),
      Signals: allocation.Signals + names.length - problems.length,
    });
  }
  if (problems.length < names.length) state.effected();
  const [first] = problems;
  if (!first) return done(state);
  if (Task !== '') throw new Refusal(500, first[1]);
  const each = problems.map(([name, problem]) => `Failed to signal task: ${name}, err: ${problem}`);
  throw new Refusal(500, multiError(each));
}

const isSignal = (name: string): boolean => Object.hasOwn(constants.signals, name);

/** The error of the task's driver for an unknown signal. Drivers without containers send SIGINT instead. */
function objection({ Tasks }: AllocationRow, task: string, name: string): string | undefined {
  if (isSignal(name)) return undefined;
  const driver = Tasks.find((one) => one.Name === task)?.Driver;
  return driver === 'docker' ? `failed to parse signal: invalid signal ${quoted(name)}` : undefined;
}

function restart(state: State, starts: TaskStarts, request: Incoming): Reply {
  const { Task, AllTasks } = decoded(state.behaviour.malformed, () => {
    const f = new Fields(request.hasBody ? request.json() : {}, '', state.behaviour.namesAreExact);
    return { Task: f.text(state.dialect.also['Task'] ?? 'Task', ''), AllTasks: f.flag('AllTasks', false) };
  });
  const allocation = reached(state, request);
  const names = toRestart(allocation, Task, AllTasks);
  if (names.length === 0) return done(state);
  const what = Task !== '' ? 'task' : AllTasks ? 'all tasks' : 'running tasks';
  const now = state.now();
  const TaskStates = changed(allocation.TaskStates, names, (task) =>
    restarting(task, `User requested ${what} to restart`, now),
  );
  starts.consider(put(state, { ...allocation, TaskStates }));
  state.effected();
  return done(state);
}

/**
 * The tasks to restart: the named one, or the running ones, with `all` also the dead ones. A task that is already
 * restarting is left out, or refused if it is named. @throws Refusal 500
 */
function toRestart(allocation: AllocationRow, one: string, all: boolean): readonly string[] {
  const { TaskStates } = allocation;
  if (one === '') {
    if (isTerminal(allocation)) throw new Refusal(500, 'restart of an alloc that should not run');
    return Object.entries(TaskStates).flatMap(([name, { State }]) =>
      State === 'running' || (all && State === 'dead') ? [name] : [],
    );
  }
  if (all) throw new Refusal(500, 'task name cannot be set when restarting all tasks');
  if (!Object.hasOwn(TaskStates, one)) {
    throw new Refusal(500, `Could not find task runner for task: ${one}`);
  }
  if (TaskStates[one]?.State !== 'running') throw new Refusal(500, notRunning);
  return [one];
}

/** @throws Refusal with `status` and the wording of these two endpoints */
function decoded<T>(status: number, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(status, `Failed to decode body: ${error.message}`);
  }
}

const changed = (tasks: TaskStates, names: readonly string[], change: (task: Task) => Task): TaskStates =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [name, names.includes(name) ? change(task) : task]),
  );

const put = (state: State, row: AllocationRow): AllocationRow =>
  state.store.put(state.allocations, row.ID, (indexes) => ({ ...row, ModifyTime: state.now(), ...indexes }));
