// The fields of actions on allocations.
import { absent, put, valuesOf, type Case } from './case.ts';
import { commanded } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);
const id = '3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01';
const exec = { task: 'server', command: ['true'] };
const doing = (action: object) => put(commanded, '/spec/action', action);

const selectors = valuesOf(commanded, '/spec/selector', {
  valid: [
    { job: 'web' },
    { job: 'web', group: 'main', node: id },
    { node: id },
    { allocationID: id },
    { allocationID: id, job: 'web' },
    { job: x(256) },
  ],
  invalid: [
    {},
    { group: 'main' },
    { group: 'main', node: id },
    { allocationID: id, group: 'main', job: 'web' },
    { allocationID: id, node: id },
    { allocationID: '3f8e1b7c' },
    { node: 'node-a' },
    { job: '' },
    { job: 'a\nb' },
    { job: x(257) },
    { job: 5 },
    { all: true },
    [],
    'web',
    absent,
  ],
});

const actions = valuesOf(commanded, '/spec/action', {
  valid: [
    { stop: {} },
    { stop: { noShutdownDelay: true } },
    { restart: {} },
    { restart: { task: 'server' } },
    { restart: { allTasks: true } },
    { signal: { name: 'SIGHUP' } },
    { signal: { name: 'SIGRTMIN+1', task: 'server' } },
    { exec },
  ],
  invalid: [
    {},
    { stop: {}, restart: {} },
    { exec, signal: { name: 'SIGHUP' } },
    { stop: { force: true } },
    { restart: { task: 'server', allTasks: true } },
    { restart: { task: '' } },
    { signal: {} },
    { signal: { name: 'HUP' } },
    { exec: { task: 'server' } },
    { exec: { command: ['true'] } },
    { kill: {} },
    'stop',
    absent,
  ],
});

const commands: readonly Case[] = [
  ...valuesOf(commanded, '/spec/action/exec/command', {
    valid: [['sh', '-c', 'echo a; exit 3'], [x(4096)], Array.from({ length: 64 }, () => 'a')],
    invalid: [[], [''], [5], [x(4097)], Array.from({ length: 65 }, () => 'a'), 'true', absent],
  }),
  ...valuesOf(commanded, '/spec/action/exec/timeout', {
    valid: ['1s', '999s', '30m', '60m', '1h', absent],
    invalid: ['0s', '0m', '1000s', '61m', '2h', '1h30m', '5', 5, ''],
  }),
  ...valuesOf(commanded, '/spec/action/exec/expectedExitCodes', {
    valid: [[0], [0, 3, 255], absent],
    invalid: [[], [256], [-1], [1.5], ['0'], 0, Array.from({ length: 17 }, () => 0)],
  }),
  ...valuesOf(doing({ stop: {} }), '/spec/action/stop/noShutdownDelay', {
    valid: [true, false, absent],
    invalid: ['yes', 1],
  }),
];

const rest: readonly Case[] = [
  ...valuesOf(commanded, '/spec/connectionRef', {
    valid: [{ name: 'other' }],
    invalid: [{ name: '../a' }, { name: 'a', namespace: 'blog' }, 'production', absent],
  }),
  ...valuesOf(commanded, '/spec/rollout', {
    valid: [absent, {}, { maxParallel: 32, onFailure: 'Continue', pause: '10s' }],
    invalid: [
      { maxParallel: 0 },
      { maxParallel: 33 },
      { onFailure: 'Retry' },
      { pause: '0s' },
      { max: 1 },
      2,
    ],
  }),
  ...valuesOf(commanded, '/spec/timeout', { valid: ['1h30m', absent], invalid: ['0s', '1.5h', 60, ''] }),
  ...valuesOf(commanded, '/spec/notAfter', {
    valid: ['2026-01-31T04:00:00Z', '2026-01-31T04:00:00.123+01:00', absent],
    invalid: [
      '2026-01-31',
      '2026-13-31T04:00:00Z',
      '2026-01-31T24:00:00Z',
      '2026-01-31T04:00:00',
      'now',
      5,
      '',
    ],
  }),
  ...valuesOf(commanded, '/spec/suspend', { valid: [true, false, absent], invalid: ['yes', 1] }),
  ...valuesOf(commanded, '/spec/deletionPolicy', { invalid: ['Retain'] }),
];

export const actionCases: readonly Case[] = [...selectors, ...actions, ...commands, ...rest];
