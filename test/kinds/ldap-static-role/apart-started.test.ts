// A task that was pending starts while the others are signalled each by itself, and the answer to one of these calls was lost.
import { expect, test } from 'vitest';
import type { AllocationRead, TaskState } from '../../../src/api/scheduler/wire.ts';
import { stateOf } from '../../../src/kinds/ldap-static-role/consumers.ts';
import type { ConsumerProgress } from '../../../src/kinds/ldap-static-role/own.ts';
import { after, notification, told, web } from './notifications.ts';
import { firstStep, type Given } from './situation.ts';
import { startMs } from './surroundings.ts';

const running: TaskState = { State: 'running', Restarts: 0, Events: [] };
const at = (Time: number): TaskState => ({ ...running, Events: [{ Type: 'Signaling', Time }] });
/** `app` and `one` were signalled, `two` was not; `late` runs by now, so that all tasks run. */
const seen: AllocationRead = {
  ID: 'a1',
  JobID: 'web',
  DesiredStatus: 'run',
  ClientStatus: 'running',
  TaskStates: { app: at(10), one: at(20), two: running, late: running },
};
const seeing = (so: Partial<ConsumerProgress>): Given =>
  notification(
    { told: told({ left: ['a1'], succeeded: 1, ...so }), steps: 2 },
    { answers: { allocations: { a1: stateOf(web.job, seen) } }, nowMs: startMs + 60_000 },
  );

test('those that were not signalled yet are not forgotten', () => {
  const open = { allocation: 'a1', task: 'one', event: '0', restarts: '0 ,0 ,0 ,0 ' };
  const now = after(seeing({ signalled: ['app'], open }));
  expect([now?.left, now?.signalled]).toEqual([['a1'], ['app', 'one']]);
});

test('they are signalled each by itself, too: the others were told already', () => {
  const step = firstStep(seeing({ signalled: ['app', 'one'] }));
  expect(step.effect).toMatchObject({ op: 'allocation.signal', body: { Task: 'two' } });
});
