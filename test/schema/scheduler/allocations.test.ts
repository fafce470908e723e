// Which allocations an action selects, and what one of them looks like.
import { describe, expect, test } from 'vitest';
import {
  allocationNamed,
  filterOf,
  isAllocation,
  runningIn,
  seenOf,
  selectedOf,
  type Selector,
} from '../../../src/schema/scheduler/allocations.ts';

const stub = (ID: string, more: object = {}) => ({
  ID,
  JobID: 'web',
  TaskGroup: 'main',
  NodeID: 'n1',
  DesiredStatus: 'run',
  ClientStatus: 'running',
  ...more,
});

const restarting = (state: object) =>
  seenOf({ ...stub('a'), TaskStates: { server: { State: 'running' }, other: state } }, undefined).restarting;

describe('selection', () => {
  const listed = [
    stub('c'),
    stub('a', { ClientStatus: 'pending' }),
    stub('b', { ClientStatus: 'unknown' }),
    stub('other-job', { JobID: 'api' }),
    stub('same-namespace', { TaskGroup: 'side', Namespace: 'default' }),
    stub('other-namespace', { Namespace: 'billing' }),
    stub('other-group', { TaskGroup: 'side' }),
    stub('other-node', { NodeID: 'n2' }),
    stub('stopped', { DesiredStatus: 'stop' }),
    stub('evicted', { DesiredStatus: 'evict' }),
    ...['complete', 'failed', 'lost'].map((ClientStatus) => stub(ClientStatus, { ClientStatus })),
  ];
  const counted = (isCounted: (one: { readonly ID: string }) => boolean) =>
    selectedOf({ job: 'web', group: 'main', node: 'n1' }, 'default', listed, isCounted).map(
      ({ allocation }) => allocation,
    );
  const idsOf = (selector: Selector) =>
    selectedOf(selector, 'default', listed).map(({ allocation }) => allocation);

  test.for([
    { selector: { job: 'web' }, is: ['a', 'b', 'c', 'other-group', 'other-node', 'same-namespace'] },
    { selector: { job: 'web', group: 'main' }, is: ['a', 'b', 'c', 'other-node'] },
    { selector: { job: 'web', group: 'main', node: 'n1' }, is: ['a', 'b', 'c'] },
    { selector: { node: 'n2' }, is: ['other-node'] },
    { selector: { allocationID: 'c' }, is: ['c'] },
    { selector: { allocationID: 'c', job: 'api' }, is: [] },
    { selector: { allocationID: 'other-namespace' }, is: [] },
  ])(
    '$selector: whatever the service filtered, only those that match and have not ended',
    ({ selector, is }) => {
      expect(idsOf(selector)).toEqual(is);
    },
  );

  test('who must stop and has not ended may count, as far as it is asked for: it still writes', () => {
    expect(counted(() => true)).toEqual(['a', 'b', 'c', 'evicted', 'stopped']);
    expect(counted(({ ID }) => ID === 'stopped')).toEqual(['a', 'b', 'c', 'stopped']);
  });

  test('two of one ID are never taken for each other among what is frozen', () => {
    expect(allocationNamed('a')).toBe('allocation a');
  });

  test('the service is asked for no more than these', () => {
    expect(filterOf({ job: 'we"b' })).toBe('JobID == "we\\"b"');
    expect(filterOf({ job: 'web', group: 'main', node: 'n1' })).toBe(
      'JobID == "web" and TaskGroup == "main" and NodeID == "n1"',
    );
  });

  test('the node is recorded, where it is told', () => {
    expect(selectedOf({ job: 'web' }, 'default', [stub('a')])).toEqual([{ allocation: 'a', node: 'n1' }]);
    expect(selectedOf({ job: 'web' }, 'default', [stub('a', { NodeID: null })])).toEqual([
      { allocation: 'a', node: '' },
    ]);
  });

  test('of an allocation the tasks count that are meant', () => {
    const TaskStates = {
      server: { State: 'running', Restarts: 2, LastRestart: 'then' },
      other: {},
      none: null,
    };
    const one = { ...stub('a', { NextAllocation: 'b' }), TaskStates: Object(TaskStates) };
    expect(seenOf(one, 'server')).toEqual({
      life: 'runs',
      tasks: { server: 'running' },
      restarting: false,
      restarts: '2 then',
      next: 'b',
    });
    expect(seenOf(one, undefined)).toMatchObject({
      tasks: { server: 'running', other: '', none: '' },
      restarts: '2 then,0 ,0 ',
    });
    expect(seenOf(stub('a'), undefined)).toEqual({
      life: 'runs',
      tasks: {},
      restarting: false,
      restarts: '',
      next: '',
    });
  });

  test('a task runs that says so', () => {
    expect(
      runningIn({ tasks: { init: 'dead', server: 'running', cleanup: 'pending', log: 'running' } }),
    ).toEqual(['server', 'log']);
  });

  test('a pending task starts again only if it ran before: else it waits for the others, maybe all their life', () => {
    const zero = '0001-01-01T00:00:00Z';
    const pending = { State: 'pending', Restarts: 0, StartedAt: zero };
    for (const waits of [pending, { State: 'pending' }, { State: 'pending', StartedAt: null }])
      expect(restarting(waits)).toBe(false);
    expect(restarting({ ...pending, StartedAt: '2026-03-01T00:00:00Z' })).toBe(true);
    expect(restarting({ ...pending, Restarts: 1 })).toBe(true);
    expect(restarting({ State: 'running', Restarts: 1 })).toBe(false);
  });

  test.for([
    { ClientStatus: 'running', DesiredStatus: 'run', life: 'runs' },
    { ClientStatus: 'pending', DesiredStatus: 'run', life: 'starts' },
    { ClientStatus: 'unknown', DesiredStatus: 'run', life: 'starts' },
    { ClientStatus: 'running', DesiredStatus: 'stop', life: 'stopping' },
    { ClientStatus: 'pending', DesiredStatus: 'evict', life: 'stopping' },
    { ClientStatus: 'complete', DesiredStatus: 'stop', life: 'ended' },
    { ClientStatus: 'failed', DesiredStatus: 'run', life: 'ended' },
    { ClientStatus: 'lost', DesiredStatus: 'stop', life: 'ended' },
  ])('$ClientStatus, to $DesiredStatus: $life', ({ life, ...status }) => {
    expect(seenOf(stub('a', status), undefined).life).toBe(life);
  });

  test('what is no allocation is not taken for one', () => {
    expect(isAllocation(stub('a'))).toBe(true);
    const tasks = [{ State: 5 }, { Restarts: 'x' }, { LastRestart: 5 }, { StartedAt: 5 }].map((server) => ({
      TaskStates: { server },
    }));
    for (const wrong of [...tasks, { ID: 5 }, { ID: 'x'.repeat(65) }, { TaskStates: 'x' }, { NodeID: 7 }])
      expect(isAllocation({ ...stub('a'), ...Object(wrong) })).toBe(false);
  });
});
