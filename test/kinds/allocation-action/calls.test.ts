// What stands against the call of an action, and what an answer or a later look makes of it.
import { describe, expect, test } from 'vitest';
import { afterwards, answered, beforehand } from '../../../src/kinds/allocation-action/calls.ts';
import { actions, runs } from './situation.ts';

const ended = { ...runs, life: 'ended' } as const;
const stopping = { ...runs, life: 'stopping' } as const;
const starts = { ...runs, life: 'starts', tasks: { server: 'pending' } } as const;
const first = { allocation: 'a1', node: 'n1', phase: 'Started', startedAt: 'then' } as const;

const of = (name: keyof typeof actions, seen: Parameters<typeof beforehand>[1]) => {
  const found = beforehand(actions[name], seen);
  return found ? `${found.phase}${found.answered ? ', answered' : ''}: ${found.message ?? ''}` : 'called';
};

describe('before a call', () => {
  test.for([
    { name: 'Stop', seen: runs, is: 'called' },
    { name: 'Stop', seen: starts, is: 'called' },
    { name: 'Stop', seen: ended, is: 'Succeeded: it had ended already' },
    { name: 'Stop', seen: null, is: 'Succeeded: it had ended already' },
    { name: 'Stop', seen: stopping, is: 'Started, answered: ' },
    { name: 'Restart', seen: runs, is: 'called' },
    { name: 'Restart', seen: stopping, is: 'Failed: it runs no more' },
    { name: 'Restart', seen: ended, is: 'Failed: it runs no more' },
    { name: 'Signal', seen: null, is: 'Failed: the scheduler does not know it any more' },
    { name: 'Signal', seen: starts, is: 'called' },
    { name: 'Exec', seen: runs, is: 'called' },
    { name: 'Exec', seen: starts, is: 'Failed: task server does not run: pending' },
    {
      name: 'Exec',
      seen: { ...runs, tasks: { server: '' } },
      is: 'Failed: task server does not run: no state',
    },
    { name: 'Exec', seen: { ...runs, tasks: {} }, is: 'Failed: it has no task server' },
  ] as const)('$name of $seen', ({ name, seen, is }) => {
    expect(of(name, seen)).toBe(is);
  });

  test('a task that has ended may be restarted: the service says whether', () => {
    expect(
      beforehand({ restart: { task: 'server' } }, { ...runs, tasks: { server: 'dead' } }),
    ).toBeUndefined();
  });
});

describe('after a call', () => {
  const again = { ...runs, restarts: '1 now' };
  test.for([
    { why: 'it runs on', name: 'Stop', seen: runs, next: undefined, is: undefined },
    { why: 'it ends', name: 'Stop', seen: stopping, next: undefined, is: undefined },
    { why: 'it ended', name: 'Stop', seen: ended, next: undefined, is: 'Succeeded' },
    { why: 'it is gone', name: 'Stop', seen: null, next: undefined, is: 'Succeeded' },
    { why: 'the next one starts', name: 'Stop', seen: ended, next: starts, is: undefined },
    { why: 'the next one runs', name: 'Stop', seen: ended, next: runs, is: 'Succeeded' },
    { why: 'the next one has ended, too', name: 'Stop', seen: ended, next: ended, is: 'Succeeded' },
    { why: 'the next one is gone', name: 'Stop', seen: ended, next: null, is: 'Succeeded' },
    { why: 'it was not restarted yet', name: 'Restart', seen: runs, next: undefined, is: undefined },
    { why: 'it starts', name: 'Restart', seen: starts, next: undefined, is: undefined },
    {
      why: 'another task of it starts again',
      name: 'Restart',
      seen: { ...again, tasks: { server: 'running', other: 'pending' }, restarting: true },
      next: undefined,
      is: undefined,
    },
    {
      why: 'another task of it waits for its end',
      name: 'Restart',
      seen: { ...again, tasks: { server: 'running', cleanup: 'pending' } },
      next: undefined,
      is: 'Succeeded',
    },
    {
      why: 'none of its tasks runs',
      name: 'Restart',
      seen: { ...again, tasks: { server: 'dead' } },
      next: undefined,
      is: undefined,
    },
    {
      why: 'it is not said to run',
      name: 'Restart',
      seen: { ...again, life: 'starts' },
      next: undefined,
      is: undefined,
    },
    { why: 'it runs again', name: 'Restart', seen: again, next: undefined, is: 'Succeeded' },
    { why: 'it ended', name: 'Restart', seen: ended, next: undefined, is: 'Failed' },
    { why: 'it was told to end', name: 'Restart', seen: stopping, next: undefined, is: 'Failed' },
    { why: 'it is gone', name: 'Restart', seen: null, next: undefined, is: 'Failed' },
  ] as const)('$name: $why', ({ name, seen, next, is }) => {
    const found = afterwards(actions[name], { before: '0 ' }, seen, next);
    expect(found?.phase).toBe(is);
    if (is === 'Failed') expect(found?.message).toBe('it ended after it was restarted');
  });
});

describe('an answer', () => {
  const message = 'no path';
  test.for([
    { name: 'Exec', told: { is: 'done', exitCode: 0, stdoutBytes: 5, stderrBytes: 1 }, phase: 'Succeeded' },
    { name: 'Exec', told: { is: 'done' }, phase: 'Succeeded' },
    { name: 'Exec', told: { is: 'done', exitCode: 3 }, phase: 'Failed' },
    { name: 'Signal', told: { is: 'done' }, phase: 'Succeeded' },
    { name: 'Restart', told: { is: 'done' }, phase: 'Started' },
    { name: 'Stop', told: { is: 'done' }, phase: 'Started' },
    { name: 'Exec', told: { is: 'refused', message }, phase: 'Failed' },
    { name: 'Stop', told: { is: 'refused', message }, phase: 'Failed' },
    { name: 'Exec', told: { is: 'unknown', message }, phase: 'Unknown' },
    { name: 'Restart', told: { is: 'unknown', message }, phase: 'Unknown' },
    { name: 'Exec', told: { is: 'unreached', message }, phase: 'Pending' },
    { name: 'Exec', told: undefined, phase: 'Unknown' },
  ] as const)('$name is told $told', ({ name, told, phase }) => {
    const after = answered(actions[name], first, told);
    expect(after.phase).toBe(phase);
    if (told && 'message' in told && phase !== 'Pending') expect(after.message).toBe(message);
    expect(after.startedAt).toBe(phase === 'Pending' ? undefined : 'then');
    expect(after.answered).toBe(phase === 'Started' ? true : undefined);
  });

  test('a stop that nobody answered stays begun', () => {
    expect(answered(actions.Stop, first, { is: 'unknown', message })).toBe(first);
    expect(answered(actions.Stop, first, undefined)).toBe(first);
  });

  test('of a command the exit code and the size of its output are kept', () => {
    const told = { is: 'done', exitCode: 3, stdoutBytes: 5, stderrBytes: 1 } as const;
    expect(answered(actions.Exec, first, told)).toEqual({
      ...first,
      phase: 'Failed',
      message: 'exit code 3',
      exitCode: 3,
      stdoutBytes: 5,
      stderrBytes: 1,
    });
    const action = { exec: { ...actions.Exec.exec, expectedExitCodes: [3] } };
    expect(answered(action, first, told).phase).toBe('Succeeded');
    expect(answered(action, first, { is: 'done', exitCode: 0 }).phase).toBe('Failed');
    expect(answered(actions.Exec, first, undefined).message).toBe('no answer tells of it');
  });
});
