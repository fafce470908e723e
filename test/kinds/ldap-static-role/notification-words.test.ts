// What is told of consumers that are told, or can't be, and which of their tasks a call is for.
import { describe, expect, test } from 'vitest';
import { latenessOf } from '../../../src/kinds/ldap-static-role/notification.ts';
import type { AllocationState } from '../../../src/kinds/ldap-static-role/consumers.ts';
import type { ConsumerProgress } from '../../../src/kinds/ldap-static-role/own.ts';
import { consumersOf, isJob } from '../../../src/kinds/ldap-static-role/consumers.ts';
import { after, notification, runs, told, web } from './notifications.ts';
import { firstStep, planned } from './situation.ts';
import { declared, signalled } from './surroundings.ts';

const waits: AllocationState = { ...runs, running: false, tasksRun: false };
const [consumer] = consumersOf(declared({ consumers: [web] }), false).filter(isJob);
if (!consumer) throw new Error('nobody is to be told');
const lateness = (progress: ConsumerProgress, allocations: Readonly<Record<string, AllocationState>>) =>
  latenessOf({ consumer, progress, ask: Object.keys(allocations) }, allocations);
const telling = (progress: Partial<ConsumerProgress>, a1: AllocationState, of = web) =>
  notification({ consumer: of, told: told(progress) }, { answers: { allocations: { a1 } } });

describe('what is late', () => {
  const late = told({ left: ['a1', 'a2'], late: ['a1', 'a2', 'a3'], under: { a3: '0 ' } });

  test('is named, with the reason of each', () => {
    expect(lateness(late, { a1: waits, a2: waits, a3: waits })).toBe(
      'job web: told to restart and not running again since: a3; not told, because it does not run: a1, a2',
    );
  });

  test('is not late any more once it runs, also while another of its tasks starts again', () => {
    expect(lateness(late, { a1: { ...runs, tasksRun: false }, a2: waits })).toBeUndefined();
  });

  test('is not told again that it does not run', () => {
    expect(planned(telling({ left: ['a1'], late: ['a1'] }, waits)).verdict).not.toBe('change');
  });
});

describe('a step is named', () => {
  test('where the allocation does not run', () => {
    expect(firstStep(telling({ left: ['a1'] }, waits)).summary).toBe('a1 of job web does not run now');
  });

  test('where the last of its tasks was signalled', () => {
    const given = telling({ left: ['a1'], signalled: ['app'] }, { ...runs, runningTasks: ['app'] });
    expect(firstStep(given).summary).toBe('a1 of job web was told');
  });
});

describe('a signal', () => {
  const app: AllocationState = {
    ...runs,
    tasks: { app: '7', sidecar: '5' },
    runningTasks: ['app', 'sidecar'],
  };

  test('goes to all tasks at once where all of them run', () => {
    expect(firstStep(telling({ left: ['a1'] }, app)).effect).toMatchObject({ body: { Signal: 'SIGHUP' } });
    expect(firstStep(telling({ left: ['a1'] }, app)).intent?.evidence).not.toHaveProperty('task');
    expect(after(telling({ left: ['a1'] }, app))).not.toHaveProperty('signalled');
  });

  test('goes to each by itself where one of them does not', () => {
    const given = telling({ left: ['a1'] }, { ...app, apart: true });
    expect(firstStep(given).intent?.evidence).toMatchObject({ task: 'app', event: '7' });
    expect(after(given)?.signalled).toEqual(['app']);
  });

  test('goes to the task that is declared, whatever else there is', () => {
    const sidecar = { job: signalled('web', { task: 'sidecar' }).job };
    const given = telling({ left: ['a1'] }, { ...app, apart: true }, sidecar);
    expect(firstStep(given).effect).toMatchObject({ body: { Signal: 'SIGHUP', Task: 'sidecar' } });
    expect(firstStep(given).intent?.evidence).not.toHaveProperty('task');
  });
});
