// The fields of hooks, of snapshots and of those that a schedule takes.
import { absent, put, valuesOf, type Case } from './case.ts';
import { cut, nightly } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);
const exec = { task: 'db', command: ['true'] };
const hooks = { selector: { job: 'orders' }, before: { exec }, after: { exec } };
const hooked = put(cut, '/spec/hooks', hooks);

/** Of a command: what is recorded of it has to fit into an annotation. */
const commands = (when: string) =>
  valuesOf(hooked, `/spec/hooks/${when}/exec/command`, {
    valid: [['a', x(1024)], Array.from({ length: 16 }, () => 'a')],
    invalid: [[], [x(1025)], Array.from({ length: 17 }, () => 'a'), absent],
  });

export const hookCases: readonly Case[] = [
  ...valuesOf(cut, '/spec/hooks', {
    valid: [
      hooks,
      { ...hooks, selector: { job: 'orders', group: 'db' }, deadline: '10m', onFailure: 'Continue' },
      absent,
    ],
    invalid: [
      {},
      { selector: { job: 'orders' }, before: { exec } },
      { selector: { job: 'orders' }, after: { exec } },
      { before: { exec }, after: { exec } },
      { ...hooks, selector: {} },
      { ...hooks, selector: { node: 'a' } },
      'freeze',
    ],
  }),
  ...valuesOf(hooked, '/spec/hooks/before', {
    valid: [{ exec }, { signal: { name: 'SIGUSR1', task: 'db' } }],
    invalid: [{}, { exec, signal: { name: 'SIGUSR1' } }, { stop: {} }, { restart: {} }, absent],
  }),
  ...valuesOf(hooked, '/spec/hooks/after', {
    valid: [{ exec }, { signal: { name: 'SIGUSR2' } }, { restart: { task: 'db' } }, { stop: {} }],
    invalid: [{}, { exec, stop: {} }, { signal: {} }, absent],
  }),
  ...commands('before'),
  ...commands('after'),
  ...valuesOf(hooked, '/spec/hooks/deadline', {
    valid: ['1s', '999s', '5m', '10m', absent],
    invalid: ['0s', '1000s', '11m', '1h', 30, ''],
  }),
  ...valuesOf(hooked, '/spec/hooks/onFailure', { valid: ['Fail', absent], invalid: ['Ignore', ''] }),
  ...valuesOf(nightly, '/spec/template', {
    valid: [{ spec: { hooks } }],
    invalid: [{ spec: { hooks: { ...hooks, before: {} } } }, { spec: { hooks: { ...hooks, after: {} } } }],
  }),
];
