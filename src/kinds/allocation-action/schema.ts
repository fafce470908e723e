// AllocationAction: its spec, the behaviour of each field, and its references. PURE.
import * as z from 'zod';
import type { FieldTable } from '../../core/planning/diff.ts';
import type { Declaration } from '../../schema/declaration.ts';
import {
  countOf,
  execAction,
  restartAction,
  signalAction,
  stopAction,
} from '../../schema/scheduler/allocation-actions.ts';
import { duration, line, objectRef, text } from '../../schema/parts.ts';

const uuid = (what: string) =>
  text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 36, `the full ID of ${what}`);

const selector = z
  .strictObject({
    allocationID: uuid('an allocation').describe('Full ID of one allocation.').exactOptional(),
    job: line(256)
      .describe(
        "ID of the job, in the connection's namespace. The access rules of the connection are asked about it; without it, about *.",
      )
      .exactOptional(),
    group: line(256).describe('Only allocations of this group of the job.').exactOptional(),
    node: uuid('a node').describe('Only allocations on the node of this full ID.').exactOptional(),
  })
  .describe(
    'Allocations to act on: those that have not ended when the action begins, at most 500. Later ones do not take part.',
  );

const action = z
  .strictObject({
    stop: stopAction().exactOptional(),
    restart: restartAction().exactOptional(),
    signal: signalAction().exactOptional(),
    exec: execAction('5m').exactOptional(),
  })
  .describe(
    'What is done to each allocation, once. A signal without a task goes to each of its tasks that runs.',
  );

const rollout = z
  .strictObject({
    maxParallel: z
      .int()
      .min(1)
      .max(32)
      .describe(
        'How many allocations are acted on at once: the size of a wave. Of the commands on a connection, eight run at a time. Default: 1.',
      )
      .exactOptional(),
    onFailure: z
      .enum(['Stop', 'Continue'])
      .describe('Whether waves begin after one in which an allocation failed. Default: Stop.')
      .exactOptional(),
    pause: duration().describe('Time between two waves. Default: none.').exactOptional(),
  })
  .describe('In which steps it is done.');

const instant =
  /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/;

const spec = z
  .strictObject({
    connectionRef: objectRef().describe('The scheduler. Its access rules must allow the action.'),
    selector,
    action,
    rollout: rollout.exactOptional(),
    timeout: duration()
      .describe(
        'How long the whole may take. After that no wave begins, and what has not run again by then has failed. Default: 1h.',
      )
      .exactOptional(),
    notAfter: text(instant, 35, 'a time as in RFC 3339, such as 2026-01-31T04:00:00Z')
      .describe('The action does not begin after this time. Default: it may begin at any time.')
      .exactOptional(),
    suspend: z
      .boolean()
      .describe('No further wave begins while this is true. Default: false.')
      .exactOptional(),
  })
  .describe('An action on allocations, done once. Nothing of it but suspend ever changes.');

export type Spec = z.infer<typeof spec>;

const fields = {
  '/connectionRef': { change: 'identity' },
  '/selector': { change: 'identity', unreadable: 'always' },
  '/action': { change: 'identity', unreadable: 'always' },
  '/rollout': { change: 'identity', unreadable: 'always' },
  '/timeout': { change: 'identity', unreadable: 'always' },
  '/notAfter': { change: 'identity', unreadable: 'always' },
} as const satisfies FieldTable;

export const declaration = {
  kind: 'AllocationAction',
  plural: 'allocationactions',
  shortNames: ['allocact'],
  scope: 'Namespaced',
  description:
    'Stops, restarts or signals allocations, or runs a command in them: once, in waves, whatever crashes. Like a Job, it is not changed but made anew.',
  spec,
  fields,
  references: [
    { field: '/connectionRef', to: 'object', kind: 'SchedulerConnection', scope: 'Cluster', holds: true },
  ],
  rules: [
    {
      rule: `${countOf('action.stop', 'action.restart', 'action.signal', 'action.exec')} == 1`,
      message: 'exactly one of stop, restart, signal and exec is needed',
      fieldPath: '.action',
    },
    {
      rule: 'has(self.selector.allocationID) ? !has(self.selector.group) && !has(self.selector.node) : has(self.selector.job) || has(self.selector.node)',
      message: 'needs allocationID, alone or with its job; or job, node or both',
      fieldPath: '.selector',
    },
    {
      rule: '!has(self.selector.group) || has(self.selector.job)',
      message: 'goes with job',
      fieldPath: '.selector.group',
    },
    {
      rule: '!has(self.action.restart) || !has(self.action.restart.task) || !has(self.action.restart.allTasks)',
      message: 'goes without allTasks',
      fieldPath: '.action.restart.task',
    },
  ],
  columns: [
    { name: 'Action', type: 'string', jsonPath: '.status.observed.action' },
    { name: 'Progress', type: 'string', jsonPath: '.status.observed.progress' },
    { name: 'Failed', type: 'integer', jsonPath: '.status.observed.failed' },
    { name: 'Connection', type: 'string', jsonPath: '.spec.connectionRef.name', priority: 1 },
  ],
} as const satisfies Declaration;
