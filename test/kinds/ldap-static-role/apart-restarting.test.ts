// A task that ends at its signal and starts again, beside one that waits for the end of the job. The answer to its signal was
// lost.
import { expect, test } from 'vitest';
import type { AllocationRead, TaskState } from '../../../src/api/scheduler/wire.ts';
import { stateOf } from '../../../src/kinds/ldap-static-role/consumers.ts';
import type { ConsumerProgress } from '../../../src/kinds/ldap-static-role/own.ts';
import { after, notification, told, web } from './notifications.ts';
import { firstStep, type Given } from './situation.ts';
import { startMs } from './surroundings.ts';

const signalledBefore = [
  { Type: 'Signaling', Time: 20 },
  { Type: 'Terminated', Time: 21 },
  { Type: 'Restarting', Time: 22 },
];
const restarting: TaskState = {
  State: 'pending',
  Restarts: 1,
  LastRestart: '2026-01-01T00:00:00Z',
  Events: signalledBefore,
};
const again: TaskState = {
  ...restarting,
  State: 'running',
  Events: [...signalledBefore, { Type: 'Started', Time: 30 }],
};

const seen = (app: TaskState): AllocationRead => ({
  ID: 'a1',
  JobID: 'web',
  DesiredStatus: 'run',
  ClientStatus: 'running',
  TaskStates: { app, cleanup: { State: 'pending', Restarts: 0, Events: [] } },
});
const seeing = (so: Partial<ConsumerProgress>, allocation: AllocationRead, nowMs: number): Given =>
  notification(
    { told: told({ left: ['a1'], succeeded: 0, ...so }), steps: 1 },
    { answers: { allocations: { a1: stateOf(web.job, allocation) } }, nowMs },
  );

const open = { allocation: 'a1', task: 'app', event: '0', restarts: '0 ,0 ' };

test('the event of a task that is starting again counts as the answer: it was signalled once more as soon as it ran', () => {
  const given = seeing({ open }, seen(restarting), startMs + 60_000);
  expect([firstStep(given).effect, after(given)?.left]).toEqual([undefined, []]);
});

test('so does that of a task that runs again, beside another that waits to be signalled', () => {
  const both = { ...seen(again), TaskStates: { app: again, sidecar: { ...again, Events: [] } } };
  const given = seeing({ open }, both, startMs + 60_000);
  expect([firstStep(given).effect, after(given)?.signalled]).toEqual([undefined, ['app']]);
});
