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

test('one with a task that is just starting is not running yet: that one reads the new password by itself', () => {
  expect(stateOf(signals, allocation()).running).toBe(true);
  const starting = allocation({ TaskStates: { sidecar: server, server: { ...server, State: 'pending' } } });
  expect(stateOf(signals, starting)).toMatchObject({ running: false, ended: false, tasksRun: true });
  // Of a job that names its task, only that one counts.
  expect(stateOf({ ...signals, task: 'sidecar' }, starting).running).toBe(true);
  expect(stateOf({ ...signals, task: 'server' }, starting).running).toBe(false);
});

test('one whose tasks ended runs none', () => {
  const dead = allocation({ TaskStates: { server: { ...server, State: 'dead' } } });
  expect(stateOf(signals, dead).tasksRun).toBe(false);
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
