// A role that is notifying its consumers, and how far it is after a step.
import type { Status } from '../../../src/core/status/status.ts';
import {
  consumersOf,
  type Job,
  type AllocationState,
} from '../../../src/kinds/ldap-static-role/consumers.ts';
import { parseOwn, type Own, type ConsumerProgress } from '../../../src/kinds/ldap-static-role/own.ts';
import { firstStep, instant, recorded, type Given } from './situation.ts';
import { declared, restarted, signalled } from './surroundings.ts';

export const runs: AllocationState = {
  running: true,
  ended: false,
  tasksRun: true,
  tasks: {},
  runningTasks: [],
  event: '10',
  restarts: '0 ',
};
export const stopped: AllocationState = { ...runs, running: false, ended: true, tasksRun: false };
export const told = (more: Partial<ConsumerProgress> = {}): ConsumerProgress => ({
  left: [],
  under: {},
  succeeded: 0,
  ...more,
});
export const web = { job: signalled('web').job };
export const api = { job: restarted('web').job };

export const keyOf = (consumer: { readonly job: Job }): string =>
  consumersOf(declared({ consumers: [consumer] }), false)[0]?.key ?? '';

interface Way {
  readonly consumer?: { readonly job: Job };
  readonly told?: ConsumerProgress;
  readonly steps?: number;
  readonly tries?: number;
}

/** A role that is published, and is about to tell this consumer. */
export function notification({ consumer = web, told: so, steps = 0, tries }: Way, more: Given = {}): Given {
  const consumers = so ? { [keyOf(consumer)]: so } : {};
  const memory: Status<Own> = {
    ...recorded,
    own: { published: instant, notification: { instant, steps, consumers } },
    ...(tries !== undefined && { tries: { [`consumer ${keyOf(consumer)}`]: tries } }),
  };
  return { spec: { consumers: [consumer] }, memory, ...more };
}

export const after = (given: Given, consumer: { readonly job: Job } = web): ConsumerProgress | undefined =>
  parseOwn(firstStep(given).own)?.notification?.consumers[keyOf(consumer)];
