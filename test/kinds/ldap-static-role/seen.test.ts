// What is read from an allocation decides who is told of a password: who is passed over keeps one that is dead.
import { describe, expect, test } from 'vitest';
import type { AllocationRead, TaskState } from '../../../src/api/scheduler/wire.ts';
import { stateOf } from '../../../src/kinds/ldap-static-role/consumers.ts';
import { restarted, signalled } from './surroundings.ts';

const { job: signals } = signalled('web');
const { job: restarts } = restarted('web');
const server: TaskState = { State: 'running', Restarts: 0, Events: [] };
const allocation = (more: Partial<AllocationRead> = {}): AllocationRead => ({
  ID: 'a1',
  JobID: 'web',
  DesiredStatus: 'run',
  ClientStatus: 'running',
  TaskStates: { server },
  ...more,
});

test('one of which a task runs is running, whatever its other tasks are: that one has the old password', () => {
  const waiting = { ...server, State: 'pending' };
  expect(stateOf(signals, allocation())).toEqual({
    running: true,
    ended: false,
    tasksRun: true,
    tasks: { server: '0' },
    runningTasks: ['server'],
    event: '0',
    restarts: '0 ',
  });
  const cleanup = allocation({ TaskStates: { server, cleanup: waiting } });
  const seen = { running: true, ended: false, tasksRun: true, runningTasks: ['server'], apart: true };
  expect(stateOf(signals, cleanup)).toMatchObject(seen);
  const restarting = allocation({ TaskStates: { server, sidecar: { ...waiting, Restarts: 1 } } });
  expect(stateOf(signals, restarting)).toMatchObject({ ...seen, tasksRun: false });
  // Of a job that names its task, only that one counts.
  const named = stateOf({ ...signals, task: 'server' }, restarting);
  expect(named).toMatchObject({ running: true, tasksRun: true });
  expect(named).not.toHaveProperty('apart');
  expect(stateOf({ ...signals, task: 'sidecar' }, restarting)).toMatchObject({
    running: false,
    ended: false,
  });
});

test('one whose tasks have all ended is to be told of nothing more', () => {
  const dead = { ...server, State: 'dead' };
  const seen = { running: false, ended: true, tasksRun: false };
  expect(stateOf(signals, allocation({ TaskStates: { server: dead } }))).toMatchObject(seen);
  const other = allocation({ TaskStates: { server, init: dead } });
  expect(stateOf({ ...signals, task: 'init' }, other)).toMatchObject(seen);
  expect(stateOf(signals, other)).toMatchObject({ running: true, ended: false, tasksRun: true });
});

test.for<Partial<AllocationRead>>([
  { DesiredStatus: 'stop' },
  { DesiredStatus: 'evict' },
  { ClientStatus: 'complete' },
  { ClientStatus: 'failed' },
  { ClientStatus: 'lost' },
])('it ended: %o', (more) => {
  expect(stateOf(signals, allocation(more))).toMatchObject({ running: false, ended: true });
});

test.for<Partial<AllocationRead>>([{ ClientStatus: 'pending' }, { ClientStatus: 'unknown' }])(
  'it does not run, and may again: %o',
  (more) => {
    expect(stateOf(signals, allocation(more))).toMatchObject({ running: false, ended: false });
  },
);

describe('the event that the call leaves', () => {
  const Events = [
    { Type: 'Signaling', Time: 30 },
    { Type: 'Started', Time: 90 },
    { Type: 'Signaling', Time: 50 },
    { Type: 'Restart Signaled', Time: 70 },
    { Type: 'Restart Signaled', Time: 60 },
  ];
  const told = allocation({ TaskStates: { server: { ...server, Events } } });

  test('is the last one of its sort', () => {
    expect(stateOf(signals, told).event).toBe('50');
    expect(stateOf(restarts, told).event).toBe('70');
  });

  test('there is none where nothing is known of tasks', () => {
    for (const TaskStates of [undefined, null, {}, { server: { ...server, Events: null } }]) {
      const { TaskStates: _, ...rest } = allocation();
      const seen = stateOf(restarts, TaskStates === undefined ? rest : { ...rest, TaskStates });
      expect(seen).toMatchObject({ event: '0', running: true });
    }
  });
});

const restartsOf = (states: Readonly<Record<string, TaskState>>, task?: string) =>
  stateOf(task === undefined ? restarts : { ...restarts, task }, allocation({ TaskStates: states })).restarts;

test('restarts read otherwise after each restart, of any task that counts', () => {
  const twice = { ...server, Restarts: 2, LastRestart: '2026-03-01T00:00:00Z' };
  const texts = [
    restartsOf({ server }),
    restartsOf({ server: { ...server, Restarts: 1 } }),
    restartsOf({ server: twice }),
    restartsOf({ server: { ...twice, LastRestart: '2026-03-01T00:00:01Z' } }),
    restartsOf({ server, sidecar: server }),
    restartsOf({ server: { ...server, Restarts: 1 }, sidecar: server }),
    restartsOf({ server, sidecar: { ...server, Restarts: 1 } }),
  ];
  expect(new Set(texts).size).toBe(texts.length);
  expect(restartsOf({ server, sidecar: twice }, 'server')).toBe(restartsOf({ server }));
});
