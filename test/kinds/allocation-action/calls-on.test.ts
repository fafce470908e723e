// Which calls an action makes on one allocation. A signal to all tasks fails where one of them does not run, though others get it.
import { expect, test } from 'vitest';
import { callsOn } from '../../../src/kinds/allocation-action/calls.ts';
import { actions, runs } from './situation.ts';

const params = { id: 'a1', namespace: 'prod' };
const tasks = { server: 'running', sidecar: 'running', cleanup: 'pending' };
const calls = (...[action, seen]: [Parameters<typeof callsOn>[0], Parameters<typeof callsOn>[1]]) =>
  callsOn(action, seen, params, { timeMs: 1_000 }).map((call) => ('body' in call ? call.body : {}));

const { signal } = actions.Signal;

test('a signal goes to each task that runs, by its name', () => {
  expect(calls({ signal }, { ...runs, tasks })).toEqual([
    { Signal: 'SIGHUP', Task: 'server' },
    { Signal: 'SIGHUP', Task: 'sidecar' },
  ]);
});

test.for([
  { why: 'of which no task is known to run', seen: { ...runs, tasks: { server: 'pending' } } },
  { why: 'that was not seen', seen: undefined },
])('a signal to one $why is one call: the service tells what stands against it', ({ seen }) => {
  expect(calls({ signal }, seen)).toEqual([{ Signal: 'SIGHUP' }]);
});

test('a signal to one task is one call, whatever else runs', () => {
  expect(calls({ signal: { ...signal, task: 'sidecar' } }, { ...runs, tasks })).toEqual([
    { Signal: 'SIGHUP', Task: 'sidecar' },
  ]);
});

test('a restart is one call', () => {
  expect(calls({ restart: {} }, { ...runs, tasks })).toHaveLength(1);
});
