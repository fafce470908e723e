// The call of each action, and what its answer says.
import { describe, expect, test } from 'vitest';
import {
  answersIn,
  callOf,
  callsOf,
  countOf,
  execAction,
  exitFailure,
  isToAll,
  nameOf,
  opOf,
  restartAction,
  signalAction,
  stopAction,
  taskOf,
  type Action,
} from '../../../src/schema/scheduler/allocation-actions.ts';

const params = { id: 'a1', namespace: 'default' };
const port = 'scheduler';
const time = { timeMs: 300_000, mostMs: Infinity };

describe('a call', () => {
  test.for<{
    action: Action;
    name: string;
    task?: string;
    call: { readonly op: string; readonly [field: string]: unknown };
  }>([
    { action: { stop: {} }, name: 'Stop', call: { port, op: 'allocation.stop', params } },
    {
      action: { stop: { noShutdownDelay: true } },
      name: 'Stop',
      call: { port, op: 'allocation.stop', params: { ...params, no_shutdown_delay: true } },
    },
    {
      action: { stop: { noShutdownDelay: false } },
      name: 'Stop',
      call: { port, op: 'allocation.stop', params },
    },
    { action: { restart: {} }, name: 'Restart', call: { port, op: 'allocation.restart', params, body: {} } },
    {
      action: { restart: { task: 'server' } },
      name: 'Restart',
      task: 'server',
      call: { port, op: 'allocation.restart', params, body: { Task: 'server' } },
    },
    {
      action: { restart: { allTasks: true } },
      name: 'Restart',
      call: { port, op: 'allocation.restart', params, body: { AllTasks: true } },
    },
    {
      action: { restart: { allTasks: false } },
      name: 'Restart',
      call: { port, op: 'allocation.restart', params, body: {} },
    },
    {
      action: { signal: { name: 'SIGHUP' } },
      name: 'Signal',
      call: { port, op: 'allocation.signal', params, body: { Signal: 'SIGHUP' }, deadlineMs: 300_000 },
    },
    {
      action: { signal: { name: 'SIGHUP', task: 'server' } },
      name: 'Signal',
      task: 'server',
      call: {
        port,
        op: 'allocation.signal',
        params,
        body: { Signal: 'SIGHUP', Task: 'server' },
        deadlineMs: 300_000,
      },
    },
    {
      action: { exec: { task: 'server', command: ['a', 'b'] } },
      name: 'Exec',
      task: 'server',
      call: { op: 'allocation.exec', params, task: 'server', command: ['a', 'b'], deadlineMs: 300_000 },
    },
    {
      action: { exec: { task: 'server', command: ['a'], timeout: '30s' } },
      name: 'Exec',
      task: 'server',
      call: { op: 'allocation.exec', params, task: 'server', command: ['a'], deadlineMs: 30_000 },
    },
  ])('$action', ({ action, name, task, call }) => {
    expect(callOf(action, params, time)).toStrictEqual(call);
    expect(nameOf(action)).toBe(name);
    expect(opOf(action)).toBe(call.op);
    expect(taskOf(action)).toBe(task);
  });
});

const shapes = {
  stop: stopAction(),
  restart: restartAction(),
  signal: signalAction(),
  exec: execAction('5m'),
};
const lettersOf = (length: number): string => 'x'.repeat(length);
const running = (more: object = {}) => ({ exec: { task: 'server', command: ['a'], ...more } });
const timed = (timeout: unknown) => running({ timeout });
const named = (name: unknown) => ({ signal: { name } });
const words = (length: number, letters = 1) => running({ command: Array(length).fill(lettersOf(letters)) });
const codes = (...expectedExitCodes: readonly number[]) => running({ expectedExitCodes });

/** What is said against it. */
const against = (action: object): string | undefined => {
  const [[name, value] = []] = Object.entries(action);
  const shape = Object.entries(shapes).find(([one]) => one === name)?.[1];
  if (!shape) throw new Error(`${name} is no action`);
  return shape.safeParse(value).error?.issues[0]?.message;
};

const shown = (action: object): string => JSON.stringify(action).slice(0, 200);

describe('a declaration', () => {
  const right: readonly object[] = [
    { stop: {} },
    { stop: { noShutdownDelay: true } },
    { restart: { task: 'server', allTasks: true } },
    { signal: { name: 'SIGHUP', task: 'server' } },
    ...['SIGUSR1', 'SIGRTMIN+15'].map(named),
    ...['1s', '10s', '999s', '9m', '59m', '60m', '1h'].map(timed),
    codes(0, 255),
    codes(...Array(16).keys()),
    words(64),
    words(1, 4096),
  ];
  const wrong: readonly object[] = [
    ...['SIG', 'HUP', 'xSIGHUP', 'SIGHUPx', 'SIGRTMIN+', 'SIGRTMIN+x', `SIG${'A'.repeat(14)}`].map(named),
    ...['0s', 's', '1', 'x1s', '1sx', '61m', '0m', '2h', '1000s'].map(timed),
    ...[[], [-1], [256], [...Array(17).keys()]].map((all) => codes(...all)),
    words(0),
    words(65),
    words(1, 0),
    words(1, 4097),
    running({ task: '' }),
  ];

  test('is one up to the limits of each field', () => {
    for (const action of right) expect(against(action), shown(action)).toBeUndefined();
  });

  test('is none beyond them: the service, or what records it, would refuse it', () => {
    for (const action of wrong) expect(against(action), shown(action)).toBeDefined();
  });

  test('what is expected is said', () => {
    expect(against(named(5))).toContain('the name of a signal, such as SIGHUP');
    expect(against(timed(5))).toContain('a time of up to 1h, such as 30s or 5m');
  });

  test('exactly one of several is counted by CEL', () => {
    expect(countOf('stop', 'exec')).toBe('(has(self.stop) ? 1 : 0) + (has(self.exec) ? 1 : 0)');
  });
});

const ms = (timeout?: string, mostMs?: number) => {
  const exec = { task: 'server', command: ['a'], ...(timeout !== undefined && { timeout }) };
  const call = callOf({ exec }, params, { timeMs: 10_000, ...(mostMs !== undefined && { mostMs }) });
  return 'deadlineMs' in call ? call.deadlineMs : undefined;
};

test('a command takes no longer than it may, whatever it declares', () => {
  expect([ms(), ms('5s'), ms('30s'), ms('30s', 20_000), ms(undefined, 5_000)]).toEqual([
    10_000, 5_000, 10_000, 20_000, 5_000,
  ]);
});

test('exit codes are a success where they are expected: 0, unless others are named', () => {
  const exec = { task: 'server', command: ['a'] };
  expect(exitFailure({ exec }, {})).toBeUndefined();
  expect(exitFailure({ exec }, { exitCode: 3 })).toBe('exit code 3');
  expect(exitFailure({ exec: { ...exec, expectedExitCodes: [3] } }, { exitCode: 3 })).toBeUndefined();
  expect(exitFailure({ signal: { name: 'SIGHUP' } }, { exitCode: 3 })).toBeUndefined();
});

const message = 'no path';
test('what is no answer tells nothing', () => {
  const numbers = { exitCode: 3, stdoutBytes: 5, stderrBytes: 1 };
  for (const told of [{ is: 'done' }, { is: 'done', ...numbers }])
    expect(answersIn({ a1: told })).toEqual({ a1: told });
  for (const is of ['refused', 'unreached', 'unknown'])
    for (const more of [{}, { partial: true }])
      expect(answersIn({ a1: { is, message, ...more } })).toEqual({ a1: { is, message, ...more } });
  for (const wrong of [null, [], { a1: {} }, { a1: { is: 'perhaps' } }, { a1: { is: 'refused' } }])
    expect(answersIn(wrong)).toEqual({});
});

const signal = (task?: string): Action => ({
  signal: { name: 'SIGHUP', ...(task !== undefined && { task }) },
});

describe('the calls on one allocation', () => {
  const tasks = ['server', 'log'];
  test('a signal to all goes to each task that is given, as it fails at any that does not run', () => {
    expect(callsOf(signal(), tasks, params, time)).toEqual(
      tasks.map((task) => callOf(signal(task), params, time)),
    );
    expect(callsOf(signal(), [], params, time)).toEqual([callOf(signal(), params, time)]);
    expect(isToAll(signal())).toBe(true);
  });

  test.for<Action>([
    signal('server'),
    { restart: {} },
    { stop: {} },
    { exec: { task: 'server', command: ['true'] } },
  ])('anything else is one call: %j', (action) => {
    expect(callsOf(action, tasks, params, time)).toEqual([callOf(action, params, time)]);
    expect(isToAll(action)).toBe(false);
  });
});
