// Actions on allocations: their schemas, their calls, and the meaning of the answers. PURE.
import * as z from 'zod';
import { line, text, toMs } from '../parts.ts';

const task = line(256).describe('Name of the task.');

export const stopAction = () =>
  z
    .strictObject({
      noShutdownDelay: z
        .boolean()
        .describe('Ends tasks without their shutdown delay. Default: false.')
        .exactOptional(),
    })
    .describe('Stops each allocation. The scheduler places another one in its stead.');

export const restartAction = () =>
  z
    .strictObject({
      task: task.describe('Only this task. Default: all tasks that run.').exactOptional(),
      allTasks: z.boolean().describe('Also tasks that have ended. Default: false.').exactOptional(),
    })
    .describe('Restarts tasks in place.');

export const signalAction = () =>
  z
    .strictObject({
      name: text(/^SIG[A-Z0-9]+([+-][0-9]+)?$/, 16, 'the name of a signal, such as SIGHUP').describe(
        'Name of the signal.',
      ),
      task: task.describe('Only this task. Default: all tasks that run.').exactOptional(),
    })
    .describe('Sends a signal to tasks.');

/** @param words maximum number of words @param letters maximum length of a word */
export const execAction = (timeoutDefault: string, words = 64, letters = 4096) =>
  z
    .strictObject({
      task,
      command: z
        .array(z.string().min(1).max(letters).describe('One word.'))
        .min(1)
        .max(words)
        .describe('Program and arguments. No shell takes part; nothing in it may be secret.'),
      timeout: text(
        /^([1-9][0-9]{0,2}s|([1-9]|[1-5][0-9]|60)m|1h)$/,
        4,
        'a time of up to 1h, such as 30s or 5m',
      )
        .describe(`How long the command may take. Default: ${timeoutDefault}.`)
        .exactOptional(),
      expectedExitCodes: z
        .array(z.int().min(0).max(255).describe('An exit code.'))
        .min(1)
        .max(16)
        .describe('Exit codes that are a success. Default: 0.')
        .exactOptional(),
    })
    .describe('Runs a command in a task. Of its output, only the size is recorded.');

/** Exactly one field is set. */
export interface Action {
  readonly stop?: z.infer<ReturnType<typeof stopAction>>;
  readonly restart?: z.infer<ReturnType<typeof restartAction>>;
  readonly signal?: z.infer<ReturnType<typeof signalAction>>;
  readonly exec?: z.infer<ReturnType<typeof execAction>>;
}
export type ActionName = 'Exec' | 'Restart' | 'Signal' | 'Stop';

/** A CEL expression: the number of these fields that are set. */
export const countOf = (...names: readonly string[]): string =>
  names.map((name) => `(has(self.${name}) ? 1 : 0)`).join(' + ');

export function nameOf({ stop, restart, signal }: Action): ActionName {
  if (stop) return 'Stop';
  if (restart) return 'Restart';
  return signal ? 'Signal' : 'Exec';
}

const ops = {
  Exec: 'allocation.exec',
  Restart: 'allocation.restart',
  Signal: 'allocation.signal',
  Stop: 'allocation.stop',
} as const;

export const opOf = (action: Action) => ops[nameOf(action)];

/** The task that the action is limited to. `undefined`: all tasks. */
export const taskOf = ({ restart, signal, exec }: Action): string | undefined =>
  restart?.task ?? signal?.task ?? exec?.task;

/**
 * A restart waits for the end of its tasks, and may come once only: it has the time of any write.
 * @param timeMs for a signal, and for a command without a timeout; no command gets more than `mostMs`
 */
export function callOf(
  { stop, restart, signal, exec }: Action,
  params: { readonly id: string; readonly namespace: string },
  { timeMs, mostMs = timeMs }: { readonly timeMs: number; readonly mostMs?: number },
) {
  const port = 'scheduler' as const;
  if (exec) {
    const { task: within, command, timeout } = exec;
    const deadlineMs = Math.min(timeout === undefined ? timeMs : toMs(timeout), mostMs);
    return { op: 'allocation.exec' as const, params, task: within, command, deadlineMs };
  }
  if (signal) {
    const { name: Signal, task: one } = signal;
    const body = { Signal, ...(one !== undefined && { Task: one }) };
    return { port, op: 'allocation.signal' as const, params, body, deadlineMs: timeMs };
  }
  if (restart) {
    const { task: one, allTasks } = restart;
    const body = { ...(one !== undefined && { Task: one }), ...(allTasks === true && { AllTasks: true }) };
    return { port, op: 'allocation.restart' as const, params, body };
  }
  const more = stop?.noShutdownDelay === true && { no_shutdown_delay: true };
  return { port, op: 'allocation.stop' as const, params: { ...params, ...more } };
}

/** Whether it is a signal to all tasks. It fails at each that does not run, and may have reached the others. */
export const isToAll = ({ signal }: Action): boolean => signal !== undefined && signal.task === undefined;

/** The calls on one allocation, which have one answer. @param tasks what is a signal to all tasks goes to these, if there are any */
export function callsOf(
  action: Action,
  tasks: readonly string[],
  ...how: [params: Parameters<typeof callOf>[1], time: Parameters<typeof callOf>[2]]
): readonly ReturnType<typeof callOf>[] {
  const { signal } = action;
  if (!signal || !isToAll(action) || tasks.length === 0) return [callOf(action, ...how)];
  return tasks.map((one) => callOf({ signal: { ...signal, task: one } }, ...how));
}

const answer = z.union([
  z.object({
    is: z.literal('done'),
    exitCode: z.number().exactOptional(),
    stdoutBytes: z.number().exactOptional(),
    stderrBytes: z.number().exactOptional(),
  }),
  z.object({
    is: z.enum(['refused', 'unreached', 'unknown']),
    message: z.string(),
    partial: z.literal(true).exactOptional(),
  }),
]);

export type Answer = Readonly<z.infer<typeof answer>>;

/** Answers by allocation ID. Empty: the reply is unreadable. */
export const answersIn = (reply: unknown): Readonly<Record<string, Answer>> =>
  z.record(z.string(), answer).safeParse(reply).data ?? {};

/** `undefined`: the action succeeded. */
export function exitFailure(
  { exec }: Action,
  { exitCode = 0 }: { readonly exitCode?: number },
): string | undefined {
  const isExpected = exec === undefined || (exec.expectedExitCodes ?? [0]).includes(exitCode);
  return isExpected ? undefined : `exit code ${exitCode}`;
}
