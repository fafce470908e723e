// Tasks that are signalled each by itself: the event of one says nothing of the call for another one.
import { expect, test } from 'vitest';
import type { AllocationRead } from '../../../src/api/scheduler/wire.ts';
import { stateOf } from '../../../src/kinds/ldap-static-role/consumers.ts';
import { notification, told, web } from './notifications.ts';
import { firstStep, planned } from './situation.ts';
import { startMs } from './surroundings.ts';

/** `app` was signalled, which the scheduler shows by now; the signal to `sidecar` never arrived. `cleanup` waits for the end. */
const seen: AllocationRead = {
  ID: 'a1',
  JobID: 'web',
  DesiredStatus: 'run',
  ClientStatus: 'running',
  TaskStates: {
    app: { State: 'running', Restarts: 0, Events: [{ Type: 'Signaling', Time: 20 }] },
    sidecar: { State: 'running', Restarts: 0, Events: [] },
    cleanup: { State: 'pending', Restarts: 0, Events: [] },
  },
};

/** Right after the signal to `app` was answered, its event was not shown yet: the client reports it a moment later. */
const open = { allocation: 'a1', task: 'sidecar', event: '0', restarts: '0 ,0 ,0 ' };
const given = notification(
  { told: told({ left: ['a1'], signalled: ['app'], succeeded: 1, open }), steps: 2 },
  { answers: { allocations: { a1: stateOf(web.job, seen) } }, nowMs: startMs + 60_000 },
);

test('a signal that was lost is sent again, although the event of the task before it shows by now', () => {
  expect(planned(given).verdict).toBe('change');
  const { summary, effect } = firstStep(given);
  expect({ summary, effect }).toMatchObject({
    effect: { op: 'allocation.signal', body: { Task: 'sidecar' } },
  });
});
